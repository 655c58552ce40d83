//! Builds the tree of a page, and stops before a hostile page outgrows the limits.
//!
//! A parser that follows the HTML standard can be made to work for hours: every unclosed `<b>` is reopened in every later paragraph,
//! deep nesting is searched at every tag, and each attribute is compared with all before it. So the parser is fed piece by piece, and
//! the tree is measured as it grows.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use dom_query::{Document, NodeId, NodeRef};
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, QualName, TokenizerResult};

use super::parts::Size;
use crate::Fault;

/// How deep elements may be nested; browsers stop at 512.
const DEPTH: usize = 256;
/// The most elements, text nodes and attributes in a page, taken together.
const NODES: usize = 1_000_000;
/// The most attributes in one tag.
const ATTRIBUTES: usize = 256;
/// How much text is fed at once, in bytes, if no `<` comes earlier.
const PIECE: usize = 4096;

/// Returns the tree of `html`. Fails with [`Fault::TooComplex`], which says what limit it exceeds.
pub fn parse(html: &str) -> Result<Document, Fault> {
    build(html).map_err(|what| Fault::TooComplex { what })
}

fn build(html: &str) -> Result<Document, String> {
    let mut parser = Parser::new();
    for piece in pieces(html) {
        parser.feed(piece)?;
    }
    parser.finish()
}

/// A parser that is fed piece by piece, as [`pieces`] cuts a page.
pub(super) struct Parser {
    tokenizer: Tokenizer<Watch>,
    input: BufferQueue,
    tag: TagScan,
    /// Whether the last piece ended within a tag or comment.
    is_within_tag: bool,
}

impl Parser {
    pub(super) fn new() -> Self {
        let options = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
        let builder = TreeBuilder::new(Measured::default(), options);
        let watch = Watch { builder, tokens: Cell::new(0) };
        Self {
            tokenizer: Tokenizer::new(watch, TokenizerOpts::default()),
            input: BufferQueue::default(),
            tag: TagScan::default(),
            is_within_tag: false,
        }
    }

    /// Adds what a piece holds to the tree. Fails if the tree outgrows the limits, and says which.
    pub(super) fn feed(&mut self, piece: &str) -> Result<(), String> {
        let before = self.tokenizer.sink.tokens.get();
        self.input.push_back(StrTendril::from_slice(piece));
        while !matches!(self.tokenizer.feed(&self.input), TokenizerResult::Done) {}
        // A piece that yields no token ends inside a tag or comment that began with it or with an earlier such piece.
        self.is_within_tag = self.tokenizer.sink.tokens.get() == before;
        if self.is_within_tag {
            self.tag.scan(piece);
        } else {
            self.tag = TagScan::default();
        }
        if self.tag.attributes > ATTRIBUTES {
            return Err(format!("more than {ATTRIBUTES} attributes in one tag"));
        }
        self.tree().excess().map_or(Ok(()), Err)
    }

    pub(super) fn is_within_tag(&self) -> bool {
        self.is_within_tag
    }

    pub(super) fn size(&self) -> Size {
        Size { nodes: self.tree().count_nodes(), text: self.tree().text.get() }
    }

    /// Returns the elements that are open, the outermost first.
    pub(super) fn open_elements(&self) -> Vec<NodeRef<'_>> {
        let known = Known::default();
        self.tokenizer.sink.builder.trace_handles(&known);
        let known = known.0.into_inner();
        let mut open = Vec::new();
        let mut last = self.tree().document.root().last_child();
        while let Some(node) = last.filter(|node| node.is_element() && known.contains(&node.id)) {
            open.push(node);
            last = node.last_child();
        }
        open
    }

    pub(super) fn finish(self) -> Result<Document, String> {
        self.tokenizer.end();
        let tree = self.tokenizer.sink.builder.sink;
        tree.excess().map_or(Ok(tree.document), Err)
    }

    fn tree(&self) -> &Measured {
        &self.tokenizer.sink.builder.sink
    }
}

/// The nodes that a tree builder still works on.
#[derive(Default)]
struct Known(RefCell<HashSet<NodeId>>);

impl Tracer for Known {
    type Handle = NodeId;

    fn trace_handle(&self, node: &NodeId) {
        self.0.borrow_mut().insert(*node);
    }
}

/// Cuts `html` before whatever may begin a tag, so that a tag begins its piece.
pub(super) fn pieces(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        let most = rest.floor_char_boundary(PIECE);
        let pairs = rest.as_bytes()[..most].windows(2).skip(1);
        let opens = |pair: &[u8]| {
            pair[0] == b'<' && (b"/!?".contains(&pair[1]) || pair[1].is_ascii_alphabetic())
        };
        let next = pairs.into_iter().position(opens);
        let (piece, after) = rest.split_at(next.map_or(most, |at| at + 1));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Counts the attributes of an unfinished tag.
#[derive(Default)]
struct TagScan {
    at: At,
    attributes: usize,
}

#[derive(Default, Clone, Copy)]
enum At {
    #[default]
    Opening,
    NoTag,
    TagName,
    Between,
    Name,
    AfterName,
    BeforeValue,
    Value,
    Quoted(u8),
}

impl TagScan {
    fn scan(&mut self, piece: &str) {
        for (index, byte) in piece.bytes().enumerate() {
            let space = byte.is_ascii_whitespace();
            self.at = match (self.at, byte) {
                (At::Opening, b'<' | b'/') if index < 2 => At::Opening,
                (At::Opening, _) if byte.is_ascii_alphabetic() => At::TagName,
                (At::Opening | At::NoTag, _) => At::NoTag,
                (At::Quoted(mark), _) if byte == mark => At::Between,
                (At::Quoted(mark), _) => At::Quoted(mark),
                (At::BeforeValue, b'"' | b'\'') => At::Quoted(byte),
                (At::BeforeValue, _) if space => At::BeforeValue,
                (At::BeforeValue, _) => At::Value,
                (At::Value, _) => {
                    if space {
                        At::Between
                    } else {
                        At::Value
                    }
                }
                (_, b'/') => At::Between,
                (At::TagName, _) => {
                    if space {
                        At::Between
                    } else {
                        At::TagName
                    }
                }
                (At::Between, _) if space => At::Between,
                (At::Name | At::AfterName, b'=') => At::BeforeValue,
                (At::Name | At::AfterName, _) if space => At::AfterName,
                (At::Name, _) => At::Name,
                (At::Between | At::AfterName, _) => {
                    self.attributes += 1;
                    At::Name
                }
            };
        }
    }
}

/// Counts the tokens that pass from the tokenizer to the tree builder.
struct Watch {
    builder: TreeBuilder<NodeId, Measured>,
    tokens: Cell<u64>,
}

impl TokenSink for Watch {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A tree that tracks its own size and depth.
#[derive(Default)]
struct Measured {
    document: Document,
    depths: RefCell<HashMap<NodeId, usize>>,
    deepest: Cell<usize>,
    attributes: Cell<usize>,
    most_attributes: Cell<usize>,
    /// The bytes of its text, without those of scripts and styles.
    text: Cell<usize>,
}

impl Measured {
    fn excess(&self) -> Option<String> {
        if self.deepest.get() > DEPTH {
            Some(format!("elements nested more than {DEPTH} deep"))
        } else if self.count_nodes() > NODES {
            Some(format!("more than {NODES} elements and attributes"))
        } else if self.most_attributes.get() > ATTRIBUTES {
            Some(format!("more than {ATTRIBUTES} attributes in one tag"))
        } else {
            None
        }
    }

    fn count_nodes(&self) -> usize {
        self.document.tree.len() + self.attributes.get()
    }

    fn count_text(&self, parent: &NodeId, child: &NodeOrText<NodeId>) {
        if let NodeOrText::AppendText(text) = child {
            let parent = self.document.tree.get(parent);
            let is_read = !parent.is_some_and(|it| it.has_name("script") || it.has_name("style"));
            self.text.set(self.text.get() + if is_read { text.len() } else { 0 });
        }
    }

    fn depth(&self, node: &NodeId) -> usize {
        self.depths.borrow().get(node).copied().unwrap_or(0)
    }

    fn place(&self, child: &NodeOrText<NodeId>, depth: usize) {
        if let NodeOrText::AppendNode(node) = child {
            self.depths.borrow_mut().insert(*node, depth);
            self.deepest.set(self.deepest.get().max(depth));
        }
    }

    fn count(&self, attributes: &[Attribute]) {
        self.attributes.set(self.attributes.get() + attributes.len());
        self.most_attributes.set(self.most_attributes.get().max(attributes.len()));
    }
}

impl TreeSink for Measured {
    type Handle = NodeId;
    type Output = Document;
    type ElemName<'a> = <Document as TreeSink>::ElemName<'a>;

    fn finish(self) -> Document {
        self.document
    }
    /// Errors are not kept: a page full of errors would hold as many.
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> NodeId {
        self.document.get_document()
    }
    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Self::ElemName<'a> {
        self.document.elem_name(target)
    }
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.count(&attrs);
        self.document.create_element(name, attrs, flags)
    }
    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.document.create_comment(text)
    }
    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.document.create_pi(target, data)
    }
    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.place(&child, self.depth(parent) + 1);
        self.count_text(parent, &child);
        self.document.append(parent, child);
    }
    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        self.place(&child, self.depth(sibling));
        self.document.append_before_sibling(sibling, child);
    }
    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        self.place(&child, self.depth(element).max(self.depth(previous) + 1));
        self.document.append_based_on_parent_node(element, previous, child);
    }
    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.document.append_doctype_to_document(name, public, system);
    }
    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        let contents = self.document.get_template_contents(target);
        self.place(&NodeOrText::AppendNode(contents), self.depth(target) + 1);
        contents
    }
    fn same_node(&self, left: &NodeId, right: &NodeId) -> bool {
        left == right
    }
    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.document.set_quirks_mode(mode);
    }
    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<Attribute>) {
        self.count(&attrs);
        self.document.add_attrs_if_missing(target, attrs);
    }
    fn remove_from_parent(&self, target: &NodeId) {
        self.document.remove_from_parent(target);
    }
    fn reparent_children(&self, node: &NodeId, parent: &NodeId) {
        self.document.reparent_children(node, parent);
    }
    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        self.document.is_mathml_annotation_xml_integration_point(handle)
    }
}
