//! The items of a library: works, with the notes, files and marks that belong to them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use papers::{AttachedFile, Highlight, Reference};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::files::{Places, file_name};
use crate::{Library, ReadError, database, fields};

/// How deep collections are followed.
const DEEPEST: usize = 30;
/// The tables that every library has.
const TABLES: [&str; 16] = [
    "items",
    "itemTypes",
    "itemData",
    "itemDataValues",
    "fields",
    "creators",
    "creatorTypes",
    "itemCreators",
    "itemAttachments",
    "itemNotes",
    "tags",
    "itemTags",
    "collections",
    "collectionItems",
    "deletedItems",
    "libraries",
];

/// Fails unless the database has the tables of Zotero. A view under their names does not count: it could compute forever.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), ReadError> {
    let unreadable = |error: rusqlite::Error| ReadError::Unreadable {
        path: path.to_owned(),
        why: error.to_string(),
    };
    for table in TABLES {
        if !has_table(connection, table).map_err(unreadable)? {
            return Err(ReadError::NotZotero { path: path.to_owned(), table: table.to_owned() });
        }
    }
    Ok(())
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")?
        .exists([name])
}

/// Returns the citation keys that the extension Better BibTeX keeps beside the database, by library and item; none without it.
pub(crate) fn citation_keys(path: &Path) -> HashMap<(i64, String), String> {
    if !path.is_file() {
        return HashMap::new();
    }
    let read = database::read(path, |connection| {
        let keys = "SELECT libraryID, itemKey, citationKey FROM citationkey";
        // A view under this name is not asked: it could compute forever.
        if !has_table(connection, "citationkey").unwrap_or_default() {
            return Ok(Vec::new());
        }
        let found = rows(connection, keys, |row| Ok(((row.get(0)?, text(row, 1)?), text(row, 2)?)));
        Ok(found.unwrap_or_default())
    });
    read.unwrap_or_default().into_iter().collect()
}

/// What stands in the database of an item.
#[derive(Default)]
struct Item {
    id: i64,
    key: String,
    kind: String,
    library: i64,
    fields: HashMap<String, String>,
    /// The role and the name of each.
    creators: Vec<fields::Creator>,
    tags: Vec<String>,
    collections: Vec<String>,
}

/// Returns everything in the library. Linear in its size.
pub(crate) fn read(
    connection: &Connection,
    places: &Places<'_>,
    keys: &HashMap<(i64, String), String>,
) -> rusqlite::Result<Library> {
    let mut items = read_items(connection)?;
    let groups = read_groups(connection)?;
    let mut library = Library { name: name(connection)?, ..Library::default() };
    let parents = read_parents(connection)?;
    // What has no parent stands by itself; what belongs to something in the bin, or to nothing that is there, is left out with it.
    let owner = |id: i64| parents.get(&id).copied().unwrap_or(id);
    let mut notes: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    let listed = "SELECT itemID, note, title FROM itemNotes ORDER BY itemID";
    let noted = rows(connection, listed, |row| Ok((row.get(0)?, text(row, 1)?, text(row, 2)?)))?;
    for (id, note, title) in noted {
        let Some(item) = items.get_mut(&id).filter(|_| !note.trim().is_empty()) else { continue };
        item.fields.entry("title".to_owned()).or_insert(title);
        notes.entry(owner(id)).or_default().push(note);
    }
    let mut files: BTreeMap<i64, Vec<AttachedFile>> = BTreeMap::new();
    let listed = "SELECT itemID, linkMode, path FROM itemAttachments ORDER BY itemID";
    let attachments = rows(connection, listed, |row| {
        Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?, text(row, 2)?))
    })?;
    let mut names: HashMap<i64, String> = HashMap::new();
    for (id, mode, path) in attachments {
        let Some(item) = items.get_mut(&id) else { continue };
        let title = item.fields.get("title").cloned().unwrap_or_default();
        let (key, tags) = (item.key.clone(), item.tags.clone());
        let name = file_name(&path);
        let called = [title.as_str(), name, key.as_str()];
        let shown = called.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
        names.insert(id, shown.clone());
        let (path, problem) = match places.resolve(&key, mode.unwrap_or_default(), &path) {
            Ok(None) => continue,
            Ok(Some(path)) => (path, None),
            Err(why) => (PathBuf::from(name), Some(why)),
        };
        item.fields.insert("title".to_owned(), shown);
        let file = AttachedFile { key, path, problem, title, tags };
        files.entry(owner(id)).or_default().push(file);
    }
    let mut highlights = read_highlights(connection, &names, &owner)?;
    let mut ids: Vec<i64> = items.keys().copied().collect();
    ids.sort_unstable();
    for id in ids {
        let Some(item) = items.remove(&id) else { continue };
        let is_part = matches!(&*item.kind, "attachment" | "note" | "annotation");
        if is_part && (owner(id) != id || item.kind == "annotation") {
            continue;
        }
        let (key, group) = (item.key.clone(), groups.get(&item.library).cloned());
        let known = keys.get(&(item.library, key.clone())).cloned();
        let described = fields::describe(&item.kind, &item.fields, item.creators);
        let reference = Reference {
            key,
            citation_key: described.citation_key.or(known),
            item_type: item.kind,
            paper: described.paper,
            details: described.details,
            group,
            tags: item.tags,
            collections: item.collections,
            notes: notes.remove(&id).unwrap_or_default(),
            highlights: highlights.remove(&id).unwrap_or_default(),
            files: files.remove(&id).unwrap_or_default(),
        };
        let Reference { notes, files, highlights, .. } = &reference;
        let is_blank = notes.is_empty() && files.is_empty() && highlights.is_empty();
        if !(is_part && is_blank) {
            library.references.push(reference);
        }
    }
    Ok(library)
}

/// Returns a name for the library, by the key that Zotero gave it.
fn name(connection: &Connection) -> rusqlite::Result<String> {
    let mut keys = Vec::new();
    if has_table(connection, "settings")? {
        let listed =
            "SELECT value FROM settings WHERE setting = 'account' AND key = 'localUserKey'";
        keys = rows(connection, listed, |row| text(row, 0))?;
    }
    Ok(keys.first().map_or_else(|| "zotero".to_owned(), |key| format!("zotero:{key}")))
}

/// Returns the items that are not in the bin, of the user and of groups, with what is said of each.
fn read_items(connection: &Connection) -> rusqlite::Result<HashMap<i64, Item>> {
    let listed = "SELECT i.itemID, i.key, t.typeName, i.libraryID
        FROM items i JOIN itemTypes t ON t.itemTypeID = i.itemTypeID
        JOIN libraries l ON l.libraryID = i.libraryID
        WHERE l.type IN ('user', 'group') AND i.itemID NOT IN (SELECT itemID FROM deletedItems)";
    let items = rows(connection, listed, |row| {
        let (id, library) = (row.get(0)?, row.get(3)?);
        Ok(Item { id, key: text(row, 1)?, kind: text(row, 2)?, library, ..Item::default() })
    })?;
    let mut items: HashMap<i64, Item> = items.into_iter().map(|item| (item.id, item)).collect();
    let listed = "SELECT d.itemID, f.fieldName, v.value FROM itemData d
        JOIN fields f ON f.fieldID = d.fieldID JOIN itemDataValues v ON v.valueID = d.valueID";
    for (id, name, value) in
        rows(connection, listed, |row| Ok((row.get(0)?, text(row, 1)?, text(row, 2)?)))?
    {
        if let Some(item) = items.get_mut(&id) {
            item.fields.insert(name, value);
        }
    }
    let listed = "SELECT ic.itemID, t.creatorType, c.firstName, c.lastName FROM itemCreators ic
        JOIN creators c ON c.creatorID = ic.creatorID
        JOIN creatorTypes t ON t.creatorTypeID = ic.creatorTypeID ORDER BY ic.itemID, ic.orderIndex";
    let creators = rows(connection, listed, |row| {
        let (role, given, family) = (text(row, 1)?, text(row, 2)?, text(row, 3)?);
        Ok((row.get(0)?, fields::Creator { role, given, family }))
    })?;
    for (id, creator) in creators {
        if let Some(item) = items.get_mut(&id) {
            item.creators.push(creator);
        }
    }
    let listed = "SELECT it.itemID, t.name FROM itemTags it JOIN tags t ON t.tagID = it.tagID
        ORDER BY it.itemID, t.name";
    for (id, tag) in rows(connection, listed, |row| Ok((row.get(0)?, text(row, 1)?)))? {
        if let Some(item) = items.get_mut(&id) {
            item.tags.push(tag);
        }
    }
    for (id, collection) in collections(connection)? {
        if let Some(item) = items.get_mut(&id) {
            item.collections.push(collection);
        }
    }
    Ok(items)
}

/// Returns each item that is in a collection, and the collection with those around it.
fn collections(connection: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    let listed = "SELECT collectionID, collectionName, parentCollectionID FROM collections";
    let named = rows(connection, listed, |row| {
        Ok((row.get(0)?, (text(row, 1)?, row.get::<_, Option<i64>>(2)?)))
    })?;
    let named: HashMap<i64, (String, Option<i64>)> = named.into_iter().collect();
    // Zotero 6 knows no bin for collections.
    let binned: HashSet<i64> = match has_table(connection, "deletedCollections")? {
        true => {
            let listed = "SELECT collectionID FROM deletedCollections";
            rows(connection, listed, |row| row.get(0))?.into_iter().collect()
        }
        false => HashSet::new(),
    };
    let whole = |id: i64| {
        let (mut parts, mut next) = (Vec::new(), Some(id));
        while let Some(id) = next.filter(|_| parts.len() < DEEPEST) {
            if binned.contains(&id) {
                return None;
            }
            let (name, parent) = named.get(&id)?;
            parts.push(name.as_str());
            next = *parent;
        }
        parts.reverse();
        Some(parts.join("/"))
    };
    let listed = "SELECT itemID, collectionID FROM collectionItems ORDER BY itemID, collectionID";
    let members: Vec<(i64, i64)> = rows(connection, listed, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut paths: HashMap<i64, Option<String>> = HashMap::new();
    let mut found = Vec::new();
    for (item, collection) in members {
        let path = paths.entry(collection).or_insert_with(|| whole(collection));
        found.extend(path.clone().map(|path| (item, path)));
    }
    Ok(found)
}

/// Returns the names of group libraries.
fn read_groups(connection: &Connection) -> rusqlite::Result<HashMap<i64, String>> {
    if !has_table(connection, "groups")? {
        return Ok(HashMap::new());
    }
    let listed = "SELECT libraryID, name FROM groups";
    let found = rows(connection, listed, |row| Ok((row.get(0)?, text(row, 1)?)))?;
    Ok(found.into_iter().collect())
}

/// Returns the work that each note and attachment belongs to.
fn read_parents(connection: &Connection) -> rusqlite::Result<HashMap<i64, i64>> {
    let mut parents = HashMap::new();
    for table in ["itemNotes", "itemAttachments"] {
        let listed =
            format!("SELECT itemID, parentItemID FROM {table} WHERE parentItemID IS NOT NULL");
        let pair = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        parents.extend(rows(connection, &listed, pair)?);
    }
    Ok(parents)
}

/// Returns what was marked in the files of each work, in the order in which it stands there.
fn read_highlights(
    connection: &Connection,
    names: &HashMap<i64, String>,
    owner: &dyn Fn(i64) -> i64,
) -> rusqlite::Result<BTreeMap<i64, Vec<Highlight>>> {
    let mut found: BTreeMap<i64, Vec<Highlight>> = BTreeMap::new();
    if !has_table(connection, "itemAnnotations")? {
        return Ok(found);
    }
    let listed = "SELECT parentItemID, text, comment, pageLabel FROM itemAnnotations
        WHERE itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY parentItemID, sortIndex, itemID";
    let marks = rows(connection, listed, |row| {
        Ok((row.get::<_, i64>(0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?))
    })?;
    for (file, text, comment, page) in marks {
        let Some(name) = names.get(&file) else { continue };
        // A mark in ink or around a picture has no words.
        if text.trim().is_empty() && comment.trim().is_empty() {
            continue;
        }
        let highlight = Highlight { file: name.clone(), page, text, comment };
        found.entry(owner(file)).or_default().push(highlight);
    }
    Ok(found)
}

fn rows<T>(
    connection: &Connection,
    query: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(query)?.query_map([], read)?.collect()
}

/// Returns a column as text, whatever was stored in it.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    })
}
