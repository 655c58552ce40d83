/** The few signs of the page, drawn as lines so that they take the colour of the text around them. */
const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  menu: "M4 6h16M4 12h16M4 18h16",
  plus: "M12 5v14M5 12h14",
  ring: "M12 6.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11z",
  check: "M5 12.500l4.500 4.500L19 7.500",
  equals: "M5 9h14M5 15h14",
  nearly: "M4 10c3-4 6-3 8-1s5 3 8-1M4 17c3-4 6-3 8-1s5 3 8-1",
  right: "M4 12h15M13.500 6.500l6 5.500-6 5.500",
  cross: "M6 6l12 12M18 6L6 18",
  stop: "M7 7h10v10H7z",
  alert: "M12 4l9 16H3zM12 10v4.500M12 17.200v.2",
  pause: "M9 6v12M15 6v12",
  clock: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 7.500V12l3 2",
  dots: "M5 10.900a1.100 1.100 0 1 0 0 2.200 1.100 1.100 0 0 0 0-2.200zM12 10.900a1.100 1.100 0 1 0 0 2.200 1.100 1.100 0 0 0 0-2.200zM19 10.900a1.100 1.100 0 1 0 0 2.200 1.100 1.100 0 0 0 0-2.200z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2.500M12 19v2.500M2.500 12H5M19 12h2.500M5.300 5.300l1.800 1.800M16.900 16.900l1.800 1.800M18.700 5.300l-1.800 1.800M7.100 16.900l-1.800 1.800",
  moon: "M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z",
  contrast:
    "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 3.500v17M12 8h6.500M12 12h8.500M12 16h6.500",
  search: "M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500L20.500 20.500",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  quote: "M5 8h5v5c0 2.500-1.500 4-4 4M14 8h5v5c0 2.500-1.500 4-4 4",
  branch: "M7 4v16M7 14c6 0 10-1 10-6M17 8V4",
  down: "M12 5v13M6 12.500l6 6 6-6",
  up: "M12 19V6M6 11.500l6-6 6 6",
  back: "M19 12H6M11.500 6l-6 6 6 6",
  chevron: "M7 10l5 5 5-5",
  eye: "M2.500 12c2-4.300 5.200-6.500 9.500-6.500s7.500 2.200 9.500 6.500c-2 4.300-5.200 6.500-9.500 6.500S4.500 16.300 2.500 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20.500c.6-4 3.600-6 7.500-6s6.900 2 7.500 6",
  note: "M5 6h14M5 11h14M5 16h9",
  clip: "M19.500 11l-7.700 7.700a4.600 4.600 0 0 1-6.500-6.500l8-8a3 3 0 0 1 4.300 4.300l-8 8a1.500 1.500 0 0 1-2.100-2.100L14.700 7.200",
  pin: "M9 4h6l-.800 6 3.300 3.500H6.500L9.800 10zM12 13.500V20",
  pencil: "M4.500 19.500l1-4.500L16 4.500l3.500 3.500L9 18.500zM13.500 7l3.500 3.500",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700l-1.600 1.600M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700l1.600-1.600",
  copy: "M9 9h11v11H9zM5.500 15H4V4h11v1.500",
  columns: "M4 5h6.500v14H4zM13.500 5H20v14h-6.500z",
  filter: "M4 6h16M7 12h10M10 18h4",
  settings: "M4 7h8M18 7h2M4 17h2M12 17h8M15 4.500v5M9 14.500v5",
  upload: "M12 19V7M7 11l5-5 5 5M5 21h14",
};

/** @param {keyof typeof PATHS} name @returns {SVGElement} */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name] ?? PATHS.dots);
  svg.append(path);
  return svg;
}
