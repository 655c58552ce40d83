//! Figures as pictures: an SVG, and a PNG of it for programs that cannot read one.

use std::sync::Arc;

use render::Figure;
use resvg::usvg::{Options, Tree, fontdb};
use resvg::{tiny_skia, usvg};

use crate::xml::escape;

/// The families that letters of a picture are set in: that of the text, else what is like it.
const FAMILIES: &str = "Calibri, Carlito, DejaVu Sans, sans-serif";
const COLOUR: &str = "#1a1a1a";
/// Pixels of the PNG for each of the picture.
const DENSITY: f32 = 3.0;
/// The most pixels of a PNG.
const LARGEST: f32 = 24_000_000.0;
/// English metric units of a pixel.
const UNITS: f64 = 9_525.0;

/// A figure's two files.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) svg: String,
    pub(crate) png: Vec<u8>,
    width: f64,
    height: f64,
}

/// Draws pictures with the fonts of the program.
#[derive(Debug)]
pub(crate) struct Drawer(Arc<fontdb::Database>);

impl Drawer {
    pub(crate) fn new() -> Drawer {
        let mut known = fontdb::Database::new();
        known.load_font_data(fonts::SANS.to_vec());
        known.load_font_data(fonts::SANS_BOLD.to_vec());
        known.set_sans_serif_family(fonts::SANS_FAMILY);
        Drawer(Arc::new(known))
    }

    /// Returns a figure as files; `None` if it cannot be drawn.
    pub(crate) fn draw(&self, figure: &Figure) -> Option<Drawn> {
        let svg = figure.standalone(COLOUR, FAMILIES);
        let (width, height) = figure.size()?;
        let options = Options {
            fontdb: Arc::clone(&self.0),
            font_family: fonts::SANS_FAMILY.to_owned(),
            ..Options::default()
        };
        let tree = Tree::from_str(&svg, &options).ok()?;
        let png = rasterize(&tree)?;
        Some(Drawn { svg, png, width, height })
    }
}

fn rasterize(tree: &usvg::Tree) -> Option<Vec<u8>> {
    let (width, height) = (tree.size().width(), tree.size().height());
    let density = DENSITY.min((LARGEST / (width * height)).sqrt());
    let pixels = |length: f32| (length * density).ceil().max(1.0) as u32;
    let mut picture = tiny_skia::Pixmap::new(pixels(width), pixels(height))?;
    picture.fill(tiny_skia::Color::WHITE);
    resvg::render(tree, tiny_skia::Transform::from_scale(density, density), &mut picture.as_mut());
    picture.encode_png().ok()
}

/// Returns the run that shows a picture in a column of `room` twentieths of a point. `number` counts pictures from 1.
pub(crate) fn show(drawn: &Drawn, figure: &Figure, number: usize, room: u32) -> String {
    let most = (f64::from(room) * 635.0, 7_200_000.0);
    let whole = (drawn.width * UNITS, drawn.height * UNITS);
    let scale = (most.0 / whole.0).min(most.1 / whole.1).min(1.0);
    let (width, height) = ((whole.0 * scale) as u64, (whole.1 * scale) as u64);
    let (title, description) = (escape(&figure.caption()), escape(&figure.description()));
    format!(
        "<w:r><w:drawing><wp:inline distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\"><wp:extent cx=\"{width}\" cy=\"{height}\"/>\
         <wp:docPr id=\"{number}\" name=\"Figure {number}\" descr=\"{description}\" title=\"{title}\"/>\
         <wp:cNvGraphicFramePr><a:graphicFrameLocks noChangeAspect=\"1\"/></wp:cNvGraphicFramePr>\
         <a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic>\
         <pic:nvPicPr><pic:cNvPr id=\"{number}\" name=\"figure{number}.png\" descr=\"{description}\"/><pic:cNvPicPr/></pic:nvPicPr>\
         <pic:blipFill><a:blip r:embed=\"png{number}\"><a:extLst><a:ext uri=\"{{96DAC541-7B7A-43D3-8B79-37D633B846F1}}\">\
         <asvg:svgBlip r:embed=\"svg{number}\"/></a:ext></a:extLst></a:blip><a:stretch><a:fillRect/></a:stretch></pic:blipFill>\
         <pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm>\
         <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
}
