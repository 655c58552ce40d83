//! Tests which answers are kept, for how long, and when they are used.

use super::*;

fn counting() -> Server {
    Server::start(|seen| Say::json(&format!(r#"{{"asked":{}}}"#, seen.number)))
}

async fn asked(client: &Client, etiquette: &Etiquette, request: &Request) -> u64 {
    let reply = client.said(etiquette, request, json).await.unwrap();
    reply["asked"].as_u64().unwrap()
}

// proves: A2
#[tokio::test]
async fn an_answer_is_kept_without_its_key_and_found_by_the_next_process() {
    let (server, folder) = (counting(), tempfile::tempdir().unwrap());
    let new = || keeping(folder.path(), settings());
    let request = request(&server);
    assert_eq!(asked(&new(), &etiquette(), &request).await, 1);
    assert_eq!(asked(&new(), &etiquette(), &request).await, 1);
    // With another key the question is the same; with another address, body or header it is not.
    assert_eq!(asked(&new(), &etiquette(), &Request::get(request.url.clone())).await, 1);
    let mut others = [request.clone(), request.clone(), request.clone()];
    others[0].url.set_query(Some("q=tern"));
    others[1].json = Some("{}".into());
    others[2].headers.push((reqwest::header::ACCEPT, HeaderValue::from_static("text/csv")));
    for (other, number) in others.iter().zip(2..) {
        assert_eq!(asked(&new(), &etiquette(), other).await, number);
    }
    assert!(!stands_in(folder.path(), "canary"));
    let refresh = Settings { network: Network::Refresh, ..settings() };
    let refresh = keeping(folder.path(), refresh);
    assert_eq!(asked(&refresh, &etiquette(), &request).await, 5);
    assert_eq!(asked(&new(), &etiquette(), &request).await, 5);
}

#[tokio::test]
async fn an_answer_that_repeats_the_key_is_refused_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|_| Say::json(&format!(r#"{{"your key":"{KEY}"}}"#)));
    let client = keeping(folder.path(), settings());
    for _ in 0..2 {
        let error = client.ask(&etiquette(), &request(&server)).await.unwrap_err();
        assert!(error.to_string().contains("its answer contains the API key"), "{error}");
        assert!(!error.to_string().contains("canary"), "{error}");
    }
    assert_eq!(server.seen().len(), 2, "neither is asked twice");
    assert!(!stands_in(folder.path(), "canary"));
}

// proves: A2
#[tokio::test]
async fn with_the_network_off_the_cache_alone_answers_however_old_it_is() {
    let (server, folder) = (counting(), tempfile::tempdir().unwrap());
    let etiquette = Etiquette { fresh_for: Duration::ZERO, ..etiquette() };
    let request = request(&server);
    let usual = keeping(folder.path(), settings());
    assert_eq!(asked(&usual, &etiquette, &request).await, 1);
    let off = Settings { network: Network::Cached, ..settings() };
    let off = keeping(folder.path(), off);
    assert_eq!(asked(&off, &etiquette, &request).await, 1);
    let mut other = request;
    other.url.set_query(None);
    for error in [
        off.ask(&etiquette, &other).await.unwrap_err(),
        off.fetch("https://example.org/").await.unwrap_err(),
        Client::new(Settings { network: Network::Cached, ..settings() }, None)
            .unwrap()
            .ask(&etiquette, &other)
            .await
            .unwrap_err(),
    ] {
        assert!(
            error.to_string().ends_with("is not in the cache, and the network is switched off"),
            "{error}"
        );
    }
    assert_eq!(server.connections(), 1);
}

// proves: A2
#[tokio::test]
async fn a_stale_answer_is_asked_about_and_renewed_where_it_still_holds() {
    for (given, sent, value) in [
        ("etag", "if-none-match", "\"g1\""),
        ("last-modified", "if-modified-since", "Sat, 01 Aug 2026 00:00:00 GMT"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(move |seen| match seen.header(sent) {
            Some(found) if found == value => Say::status(304, &[], ""),
            _ => Say::status(200, &[(given, value)], &format!(r#"{{"asked":{}}}"#, seen.number)),
        });
        let stale = Etiquette { fresh_for: Duration::ZERO, ..etiquette() };
        let client = keeping(folder.path(), settings());
        for _ in 0..3 {
            assert_eq!(asked(&client, &stale, &request(&server)).await, 1);
        }
        assert_eq!(server.seen().len(), 3);
        assert_eq!(asked(&client, &etiquette(), &request(&server)).await, 1);
        assert_eq!(server.seen().len(), 3, "a 304 made it fresh again");
    }
}

// proves: A2
#[tokio::test]
async fn an_older_answer_does_where_none_can_be_had_but_never_for_whoever_refreshes() {
    let folder = tempfile::tempdir().unwrap();
    for fault in [
        Say::status(429, &[("retry-after", "3600")], ""),
        Say::status(500, &[], ""),
        Say::Reset(vec![]),
        Say::html("<html>"),
        Say::status(403, &[], ""),
    ] {
        let refuses = matches!(fault, Say::Whole { status: 403, .. });
        let failing = fault.clone();
        let server = Server::start(move |seen| match seen.number {
            1 => Say::json(r#"{"asked":1}"#),
            _ => failing.clone(),
        });
        let stale = Etiquette { fresh_for: Duration::ZERO, ..etiquette() };
        let new = |network| {
            let folder = folder.path().join(server.address().port().to_string());
            keeping(&folder, Settings { network, ..settings() })
        };
        let ask = async |network| new(network).said(&stale, &request(&server), json).await;
        assert!(ask(Network::Usual).await.is_ok());
        // A refusal is an answer to this question.
        assert_eq!(ask(Network::Usual).await.is_ok(), !refuses, "{fault:?}");
        assert!(ask(Network::Refresh).await.is_err(), "{fault:?}");
    }
}

#[tokio::test]
async fn what_is_damaged_or_cannot_be_read_is_asked_for_anew() {
    let (server, folder) = (counting(), tempfile::tempdir().unwrap());
    let client = keeping(folder.path(), settings());
    let request = request(&server);
    assert_eq!(asked(&client, &etiquette(), &request).await, 1);
    let pages = |folder: &Path| {
        let below = |path: &Path| -> Vec<_> {
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        below(&folder.join("answers")).iter().flat_map(|path| below(path)).collect::<Vec<_>>()
    };
    let [file] = pages(folder.path()).try_into().unwrap();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(asked(&client, &etiquette(), &request).await, 2);
    // A newer version of this program needs data that the kept answer lacks.
    let read = |reply: &Reply| match json(reply)?["asked"].as_u64() {
        Some(2) => Err(PortError::Malformed { service: "Gulls".into(), what: "2".into() }),
        asked => Ok(asked),
    };
    assert_eq!(client.said(&etiquette(), &request, read).await, Ok(Some(3)));
}

#[tokio::test]
async fn what_is_not_ready_yet_is_given_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|seen| match seen.number {
        1 => Say::status(202, &[], ""),
        _ => Say::json("{}"),
    });
    let client = keeping(folder.path(), settings());
    let request = request(&server);
    for status in [202, 200, 200] {
        assert_eq!(client.ask(&etiquette(), &request).await.unwrap().status, status);
    }
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn not_found_is_kept_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|_| Say::status(404, &[], "Resource not found."));
    let client = keeping(folder.path(), settings());
    for _ in 0..2 {
        assert_eq!(client.ask(&etiquette(), &request(&server)).await.unwrap().status, 404);
    }
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = FolderMemory::open(&file.join("cache")).err().unwrap();
    assert!(error.to_string().contains("file/cache: Not a directory"), "{error}");
}

// proves: A2
#[tokio::test]
async fn that_there_was_no_such_thing_is_no_answer_any_more_once_it_is_stale() {
    for fault in [
        Say::status(429, &[("retry-after", "3600")], ""),
        Say::status(500, &[], ""),
        Say::Reset(vec![]),
    ] {
        let failing = fault.clone();
        let server = Server::start(move |seen| match seen.number {
            1 => Say::status(404, &[("etag", "\"1\"")], "Resource not found."),
            _ => failing.clone(),
        });
        let folder = tempfile::tempdir().unwrap();
        let ask = async |network, fresh_for| {
            let client = keeping(folder.path(), Settings { network, ..settings() });
            let etiquette = Etiquette { fresh_for, ..etiquette() };
            client.ask(&etiquette, &request(&server)).await
        };
        let (fresh, stale) = (Duration::from_hours(24), Duration::ZERO);
        assert_eq!(ask(Network::Usual, fresh).await.unwrap().status, 404);
        assert_eq!(ask(Network::Cached, fresh).await.unwrap().status, 404);
        let error = ask(Network::Cached, stale).await.unwrap_err();
        assert!(error.to_string().contains("is not in the cache"), "{error}");
        assert_eq!(server.seen().len(), 1);
        assert!(ask(Network::Usual, stale).await.is_err(), "{fault:?}");
        assert_eq!(server.seen()[1].header("if-none-match"), None);
    }
}

// proves: A2
#[tokio::test]
async fn a_page_in_the_place_of_a_pdf_is_given_and_not_kept() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/moved" => Say::redirect(302, "/paper.PDF"),
        "/disguised.pdf" => {
            Say::status(200, &[("content-type", "application/pdf")], "\n<!DOCTYPE html>")
        }
        "/pdf/real" => Say::status(200, &[("content-type", "application/pdf")], "%PDF-1.7"),
        _ => Say::html("<p>Are you human?"),
    });
    let folder = tempfile::tempdir().unwrap();
    let client = keeping(folder.path(), settings());
    for (path, kept) in [
        ("/pdf/2101.00001v1", false),
        ("/a.pdf?download=1", false),
        ("/disguised.pdf", false),
        ("/moved", false),
        ("/pdf/real", true),
        ("/page", true),
        ("/a.pdf.html", true),
    ] {
        let before = server.seen().len();
        for _ in 0..2 {
            client.fetch(&server.url(path)).await.unwrap();
        }
        let asked = server.seen()[before..].iter().filter(|seen| seen.path == path).count();
        assert_eq!(asked, if kept { 1 } else { 2 }, "{path}");
    }
}
