-- A small library with the tables and columns of Zotero 7, as far as they are read.

CREATE TABLE settings (setting TEXT, key TEXT, value, PRIMARY KEY (setting, key));
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL, filesEditable INT NOT NULL, version INT NOT NULL DEFAULT 0, storageVersion INT NOT NULL DEFAULT 0, lastSync INT NOT NULL DEFAULT 0, archived INT NOT NULL DEFAULT 0);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE, name TEXT NOT NULL, description TEXT NOT NULL, version INT NOT NULL);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT DEFAULT 1);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, dateAdded TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, dateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, charsetID INT, path TEXT, syncState INT DEFAULT 0, storageModTime INT, storageHash TEXT, lastProcessedModificationTime INT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL, type INTEGER NOT NULL, authorName TEXT, text TEXT, comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT NOT NULL, position TEXT NOT NULL, isExternal INT NOT NULL);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT, UNIQUE (lastName, firstName, fieldMode));
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL DEFAULT 1, orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex), UNIQUE (itemID, orderIndex));
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT DEFAULT NULL, clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (collectionID, itemID));
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);

INSERT INTO settings VALUES ('account', 'localUserKey', 'Ab12Cd34');
INSERT INTO libraries (libraryID, type, editable, filesEditable) VALUES (1, 'user', 1, 1), (2, 'group', 1, 1), (3, 'feed', 1, 1);
INSERT INTO groups VALUES (77, 2, 'Lights of the North', '', 1);
INSERT INTO itemTypes (itemTypeID, typeName) VALUES (1, 'annotation'), (3, 'attachment'), (7, 'book'), (22, 'journalArticle'), (28, 'note'), (37, 'thesis');
INSERT INTO fields (fieldID, fieldName) VALUES (1, 'title'), (2, 'abstractNote'), (6, 'date'), (13, 'url'), (16, 'extra'), (38, 'publicationTitle'), (19, 'volume'), (59, 'DOI'), (84, 'university');
INSERT INTO creatorTypes VALUES (8, 'author'), (10, 'editor');

INSERT INTO items (itemID, itemTypeID, libraryID, key) VALUES
  (1, 22, 1, 'WORKAAAA'), (2, 3, 1, 'FILEAAAA'), (3, 28, 1, 'NOTEAAAA'), (4, 1, 1, 'MARKAAAA'), (5, 1, 1, 'MARKBBBB'),
  (6, 22, 1, 'BINNEDAA'), (7, 3, 1, 'FILEBBBB'), (8, 3, 1, 'FILECCCC'), (9, 28, 1, 'NOTEBBBB'),
  (10, 37, 2, 'WORKGRUP'), (11, 22, 3, 'FEEDAAAA'), (12, 3, 1, 'LONEFILE'), (13, 3, 1, 'LINKAAAA');
INSERT INTO itemDataValues VALUES
  (1, 'Lamps of the <i>northern</i> coast'), (2, 'We counted the lamps of the coast.'), (3, '2021-03-00 March 2021'), (4, 'Journal of Lights'),
  (5, 12), (6, '10.1000/lamps'), (7, 'Citation Key: smith2021'), (8, 'Thrown away'), (9, 'A thesis on fog'), (10, 'University of Fog'),
  (11, '1999-00-00 1999'), (12, 'From a feed'), (13, 'Full text'), (14, 'https://example.org/lamps');
INSERT INTO itemData VALUES
  (1, 1, 1), (1, 2, 2), (1, 6, 3), (1, 38, 4), (1, 19, 5), (1, 59, 6), (1, 16, 7), (6, 1, 8), (10, 1, 9), (10, 84, 10), (10, 6, 11),
  (11, 1, 12), (2, 1, 13), (13, 13, 14);
INSERT INTO creators VALUES (1, 'Ann', 'Smith', 0), (2, '', 'Northern Lights Board', 1), (3, 'Bo', 'Day', 0);
INSERT INTO itemCreators VALUES (1, 1, 8, 0), (1, 2, 8, 1), (1, 3, 10, 2), (10, 3, 8, 0);
INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path) VALUES
  (2, 1, 1, 'text/html', 'storage:Smith - 2021 - Lamps.html'), (7, 6, 0, 'application/pdf', 'storage:gone.pdf'),
  (8, 1, 2, 'application/pdf', 'attachments:lamps/table.csv'), (12, NULL, 0, 'text/plain', 'storage:lone.txt'), (13, 1, 3, 'text/html', NULL);
INSERT INTO itemNotes VALUES (3, 1, '<div data-schema-version="9"><h1>On reading</h1><p>The lamps burn <b>colza oil</b>.</p></div>', 'On reading'),
  (9, NULL, '<p>The keeper at Noss was paid 46 pounds a year.</p>', 'Noss');
INSERT INTO itemAnnotations VALUES
  (5, 2, 1, '', 'Each lamp had twelve wicks.', '', '#ffd400', '4', '00002|000100|00010', '{}', 0),
  (4, 2, 1, '', 'Forty lamps were counted.', 'Check this against the log.', '#ffd400', '3', '00001|000100|00010', '{}', 0);
INSERT INTO tags VALUES (1, 'lamps'), (2, 'to read');
INSERT INTO itemTags VALUES (1, 1, 0), (1, 2, 1), (12, 1, 0);
INSERT INTO collections (collectionID, collectionName, parentCollectionID, libraryID, key) VALUES
  (1, 'Thesis', NULL, 1, 'COLLAAAA'), (2, 'Chapter 2', 1, 1, 'COLLBBBB'), (3, 'Old', NULL, 1, 'COLLCCCC');
INSERT INTO collectionItems (collectionID, itemID) VALUES (2, 1), (3, 1), (1, 12);
INSERT INTO deletedItems (itemID) VALUES (6);
INSERT INTO deletedCollections (collectionID) VALUES (3);
