//! Pages become pictures, in shades of grey: what a program for OCR reads.
//!
//! This runs in the worker process, because it decodes files that nobody vouches for.

use serde::{Deserialize, Serialize};

/// The resolution at which a page is drawn, in dots per inch.
#[cfg(feature = "ocr")]
const DPI: f64 = 300.0;
/// The most pixels of a picture; a larger page is drawn smaller.
pub(crate) const PIXELS: u32 = 20_000_000;

/// The kinds of picture files, as a sentence names them.
const KINDS: [(&[u8], &str); 4] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
];

/// Returns what to call a file that is a picture, by its first bytes.
pub(crate) fn kind(bytes: &[u8]) -> Option<&'static str> {
    KINDS.iter().find(|(signature, _)| bytes.starts_with(signature)).map(|(_, name)| *name)
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Picture {
    /// The page, counted from 1.
    pub(crate) number: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Its resolution in dots per inch; that of a picture file is estimated.
    pub(crate) dpi: u32,
    /// Whether nothing at all is on the page.
    pub(crate) blank: bool,
    /// One byte a pixel, row by row, 0 for black. It travels beside the rest.
    #[serde(skip)]
    pub(crate) grey: Vec<u8>,
}

/// Some pages of a file as pictures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pictures {
    /// The number of pages in the file.
    pub(crate) pages: u32,
    pub(crate) pictures: Vec<Picture>,
}

impl Pictures {
    /// Takes the pixels of all pictures out of them, in order.
    pub(crate) fn take_pixels(&mut self) -> Vec<u8> {
        let mut pixels = Vec::new();
        for picture in &mut self.pictures {
            pixels.append(&mut picture.grey);
        }
        pixels
    }

    /// Gives the pictures their pixels back. Fails if there are too few.
    pub(crate) fn give_pixels(&mut self, mut pixels: &[u8]) -> Option<()> {
        for picture in &mut self.pictures {
            let size = picture.width.checked_mul(picture.height)?;
            let (own, rest) = pixels.split_at_checked(usize::try_from(size).ok()?)?;
            picture.grey = own.to_vec();
            pixels = rest;
        }
        Some(())
    }
}

/// Returns the pages of these `numbers` as pictures; those that the file lacks are left out.
#[cfg(not(feature = "ocr"))]
pub(crate) fn draw(_: &[u8], _: &[u32]) -> Result<Pictures, crate::ReadError> {
    Err(crate::ReadError::Failed { what: "this program was built without OCR".to_owned() })
}

#[cfg(feature = "ocr")]
pub(crate) use drawn::draw;

#[cfg(feature = "ocr")]
mod drawn {
    use std::io::Cursor;

    use hayro::hayro_interpret::InterpreterSettings;
    use hayro::hayro_syntax::{LoadPdfError, Pdf};
    use hayro::vello_cpu::color::palette::css::WHITE;
    use hayro::{RenderCache, RenderSettings};
    use image::imageops::FilterType;
    use image::{DynamicImage, GrayImage, ImageDecoder, ImageReader};

    use super::{DPI, PIXELS, Picture, Pictures, kind};
    use crate::read::ReadError;

    /// The width that a picture of a page is assumed to have, in inches: that of a sheet of paper.
    const SHEET_INCHES: u32 = 8;
    /// A picture of fewer dots per inch is enlarged: letters of few pixels are read badly.
    const COARSE_DPI: u32 = 200;
    /// A picture with a shorter side than this, in pixels, is an icon and no page.
    const ICON: u32 = 100;
    /// A page with fewer dark pixels is blank: a single figure has some hundreds.
    const INK: usize = 150;
    /// How much darker than the paper ink is, of 255.
    const DARKER: u8 = 32;
    /// The stack of the thread that draws, in bytes: forms may be nested.
    const STACK: usize = 64 << 20;

    /// Returns the pages of these `numbers` as pictures; those that the file lacks are left out.
    pub(crate) fn draw(bytes: &[u8], numbers: &[u32]) -> Result<Pictures, ReadError> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("draw".to_owned()).stack_size(STACK);
            let work =
                || if kind(bytes).is_some() { image(bytes, numbers) } else { pdf(bytes, numbers) };
            let thread = thread.spawn_scoped(scope, work).map_err(|error| ReadError::Failed {
                what: format!("could not draw its pages: {error}"),
            })?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn pdf(bytes: &[u8], numbers: &[u32]) -> Result<Pictures, ReadError> {
        let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
            LoadPdfError::Decryption(_) => ReadError::Encrypted { format: "PDF".to_owned() },
            LoadPdfError::Invalid => ReadError::Damaged { format: "PDF".to_owned() },
        })?;
        let pages = pdf.pages();
        let cache = RenderCache::new();
        let settings = InterpreterSettings::default();
        let mut pictures = Vec::with_capacity(numbers.len());
        for number in numbers {
            let index = usize::try_from(*number).unwrap_or(usize::MAX).wrapping_sub(1);
            let Some(page) = pages.get(index) else { continue };
            let (width, height) = page.render_dimensions();
            let dpi = resolution(f64::from(width) / 72.0, f64::from(height) / 72.0);
            let scale = (dpi / 72.0) as f32;
            let size = |points: f32| ((points * scale).round() as u16).max(1);
            let render = RenderSettings {
                x_scale: scale,
                y_scale: scale,
                width: Some(size(width)),
                height: Some(size(height)),
                bg_color: WHITE,
            };
            let drawn = hayro::render(page, &cache, &settings, &render);
            let grey =
                drawn.data().iter().map(|pixel| brightness(pixel.r, pixel.g, pixel.b)).collect();
            let (width, height) = (u32::from(drawn.width()), u32::from(drawn.height()));
            pictures.push(picture(*number, width, height, dpi as u32, grey));
        }
        Ok(Pictures { pages: u32::try_from(pages.len()).unwrap_or(u32::MAX), pictures })
    }

    /// Returns the resolution at which a page of this size, in inches, is drawn.
    fn resolution(width: f64, height: f64) -> f64 {
        let most = (f64::from(PIXELS) / (width * height)).sqrt();
        let longest = f64::from(u16::MAX) / width.max(height);
        DPI.min(most).min(longest)
    }

    /// Returns how bright a colour is.
    fn brightness(red: u8, green: u8, blue: u8) -> u8 {
        let sum = u32::from(red) * 77 + u32::from(green) * 150 + u32::from(blue) * 29;
        (sum >> 8) as u8
    }

    fn image(bytes: &[u8], numbers: &[u32]) -> Result<Pictures, ReadError> {
        let starts = super::tiff::pages(bytes);
        let pages = u32::try_from(starts.len()).unwrap_or(u32::MAX).max(1);
        let mut pictures = Vec::new();
        for number in numbers.iter().filter(|number| (1..=pages).contains(*number)) {
            let start = starts.get(*number as usize - 1);
            let patched =
                start.filter(|_| *number > 1).map(|start| super::tiff::opened_at(bytes, *start));
            let whole = decode(patched.as_deref().unwrap_or(bytes))?;
            pictures.push(sized(*number, whole));
        }
        Ok(Pictures { pages, pictures })
    }

    /// Returns the picture in a file, upright, on white paper.
    fn decode(bytes: &[u8]) -> Result<GrayImage, ReadError> {
        let damaged = |_| ReadError::Damaged { format: "image".to_owned() };
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
        let reader = reader.map_err(|_| ReadError::Damaged { format: "image".to_owned() })?;
        let mut decoder = reader.into_decoder().map_err(damaged)?;
        let (width, height) = decoder.dimensions();
        if width.min(height) < ICON {
            return Err(ReadError::Failed {
                what: format!(
                    "it is a picture of {width} × {height} pixels, too small for a page of text"
                ),
            });
        }
        let pixels = u64::from(width) * u64::from(height);
        let limit = u64::from(PIXELS) * 5;
        if pixels > limit {
            return Err(ReadError::Failed {
                what: format!(
                    "it is a picture of {width} × {height} pixels, more than the {limit} that are read; save it smaller"
                ),
            });
        }
        let orientation = decoder.orientation();
        let mut whole = DynamicImage::from_decoder(decoder).map_err(damaged)?;
        if let Ok(orientation) = orientation {
            whole.apply_orientation(orientation);
        }
        if !whole.color().has_alpha() {
            return Ok(whole.into_luma8());
        }
        let transparent = whole.into_luma_alpha8();
        let (width, height) = transparent.dimensions();
        let on_white = transparent.pixels().map(|pixel| {
            let [value, alpha] = pixel.0;
            let sum = u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
            (sum / 255) as u8
        });
        let on_white = on_white.collect();
        GrayImage::from_raw(width, height, on_white)
            .ok_or_else(|| ReadError::Damaged { format: "image".to_owned() })
    }

    /// Brings a picture to a size at which letters can be read.
    fn sized(number: u32, whole: GrayImage) -> Picture {
        let (width, height) = whole.dimensions();
        let pixels = f64::from(width) * f64::from(height);
        let dpi = width.min(height) / SHEET_INCHES;
        let most = (f64::from(PIXELS) / pixels).sqrt();
        let wanted = if dpi < COARSE_DPI { 2.0 } else { 1.0 };
        let scale = most.min(wanted);
        if (scale - 1.0).abs() < 0.01 {
            return picture(number, width, height, dpi, whole.into_raw());
        }
        let size = |side: u32| ((f64::from(side) * scale) as u32).max(1);
        let other =
            image::imageops::resize(&whole, size(width), size(height), FilterType::Triangle);
        let (width, height) = other.dimensions();
        picture(number, width, height, size(dpi), other.into_raw())
    }

    fn picture(number: u32, width: u32, height: u32, dpi: u32, grey: Vec<u8>) -> Picture {
        Picture { number, width, height, dpi, blank: is_blank(&grey), grey }
    }

    /// Returns whether hardly a pixel is darker than the paper.
    fn is_blank(grey: &[u8]) -> bool {
        let mut shades = [0_usize; 256];
        for shade in grey {
            shades[usize::from(*shade)] += 1;
        }
        let mut seen = 0;
        let paper = shades.iter().rposition(|count| {
            seen += count;
            seen * 2 >= grey.len()
        });
        let Some(dark) = paper.unwrap_or(0).checked_sub(usize::from(DARKER)) else { return false };
        shades[..dark].iter().sum::<usize>() < INK
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_page_is_drawn_at_300_dots_an_inch_unless_it_is_too_large() {
            assert_eq!(resolution(8.27, 11.69), 300.0);
            let huge = resolution(200.0, 200.0);
            assert!(huge * huge * 40_000.0 <= f64::from(PIXELS) + 1.0, "{huge}");
            let strip = resolution(1_000_000.0, 0.01);
            assert!(strip * 1_000_000.0 <= f64::from(u16::MAX) + 1.0, "{strip}");
        }

        #[test]
        fn a_page_is_blank_if_hardly_a_pixel_is_darker_than_its_paper() {
            let mut grey = vec![230; 1_000_000];
            grey[..100].fill(10);
            assert!(is_blank(&grey));
            grey[..400].fill(10);
            assert!(!is_blank(&grey));
            // A page that is printed white on black.
            assert!(!is_blank(&[0; 1000]));
        }
    }
}

#[cfg(feature = "ocr")]
mod tiff {
    //! The pages of a TIFF file, which the decoder of images knows only the first of.

    /// The most pages that are followed.
    const PAGES: usize = 10_000;

    /// Returns where the directory of each page is; empty for what is not a TIFF.
    pub(super) fn pages(bytes: &[u8]) -> Vec<u32> {
        let mut starts: Vec<u32> = Vec::new();
        let mut next = Some(4);
        while let Some(start) = next.and_then(|at| number(bytes, at)) {
            if start == 0 || starts.contains(&start) || starts.len() == PAGES {
                break;
            }
            let at = start as usize;
            let Some(entries) = bytes.get(at..at.saturating_add(2)) else { break };
            let entries = [entries[0], entries[1]];
            let entries = if is_little(bytes) {
                u16::from_le_bytes(entries)
            } else {
                u16::from_be_bytes(entries)
            };
            starts.push(start);
            next = Some(at + 2 + 12 * usize::from(entries));
        }
        starts
    }

    /// Returns the file with the page whose directory is at `start` as its first.
    pub(super) fn opened_at(bytes: &[u8], start: u32) -> Vec<u8> {
        let mut patched = bytes.to_vec();
        let written = if is_little(bytes) { start.to_le_bytes() } else { start.to_be_bytes() };
        if let Some(first) = patched.get_mut(4..8) {
            first.copy_from_slice(&written);
        }
        patched
    }

    fn is_little(bytes: &[u8]) -> bool {
        bytes.starts_with(b"II*\0")
    }

    fn number(bytes: &[u8], at: usize) -> Option<u32> {
        if !is_little(bytes) && !bytes.starts_with(b"MM\0*") {
            return None;
        }
        let four = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if is_little(bytes) { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) })
    }
}
