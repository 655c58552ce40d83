/**
 * Boxes that float over the page beside what they belong to: in the top layer, so that no table and no edge clips them.
 */
const MARGIN = 8;

/** Shows `box` (already in the document) beside `anchor`, below it where there is room, else above. */
export function float(box, anchor) {
  if (box.showPopover) {
    box.popover = "manual";
    if (!box.matches(":popover-open")) box.showPopover();
  }
  place(box, anchor);
}

export function place(box, anchor) {
  const at = nearest(anchor);
  const room = document.documentElement;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(at.left, room.clientWidth - width - MARGIN));
  const below = at.bottom + 4;
  const above = at.top - height - 4;
  const top =
    below + height + MARGIN <= room.clientHeight || above < MARGIN
      ? Math.min(below, Math.max(MARGIN, room.clientHeight - height - MARGIN))
      : above;
  box.style.setProperty("left", `${Math.round(left)}px`);
  box.style.setProperty("top", `${Math.round(top)}px`);
}

/** Puts a box beside its anchor again, where that has moved; false where it has moved out of sight. */
export function follow(box, anchor) {
  const at = nearest(anchor);
  const room = document.documentElement;
  if (at.bottom < 0 || at.right < 0 || at.top > room.clientHeight || at.left > room.clientWidth) return false;
  place(box, anchor);
  return true;
}

/** A mark may break over two lines: its first piece counts. */
const nearest = (anchor) => anchor.getClientRects()[0] ?? anchor.getBoundingClientRect();

export function sink(box) {
  if (box.hidePopover && box.matches(":popover-open")) box.hidePopover();
}
