use std::path::Path;

use futures::future::join_all;

use super::*;
#[cfg(unix)]
use crate::memory;
use crate::memory::FolderMemory;

const SPACING: Duration = Duration::from_secs(3);

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// The paces of another process over the same folder.
fn remembering(folder: &Path) -> Paces {
    Paces::new(Some(Arc::new(FolderMemory::open(folder).unwrap())))
}

fn wait_of<T>(turn: Result<T, PortError>) -> Option<Duration> {
    match turn {
        Err(PortError::Limited { retry_after, .. }) => retry_after,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it may begin"),
    }
}

/// Begins `count` requests at once, each of which takes a second, and returns the times when they began.
async fn begin(pace: &Pace, count: usize) -> Vec<Duration> {
    let start = Instant::now();
    let one = async || {
        let _turn = pace.turn(soon()).await.unwrap();
        let began = start.elapsed();
        sleep(Duration::from_secs(1)).await;
        began
    };
    join_all((0..count).map(|_| one())).await
}

// proves: A2
#[tokio::test(start_paused = true)]
async fn requests_begin_a_spacing_apart_however_many_want_to_at_once() {
    for at_once in [1, 5] {
        let pace = Pace::new("arXiv", SPACING, at_once, None);
        let began = begin(&pace, 5).await;
        for (earlier, later) in began.iter().zip(&began[1..]) {
            assert!(*later >= *earlier + SPACING, "{began:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_are_under_way_than_the_service_wants() {
    let pace = Pace::new("crossref", Duration::ZERO, 4, None);
    let seconds = async |count| {
        let mut began: Vec<u64> =
            begin(&pace, count).await.into_iter().map(|time| time.as_secs()).collect();
        began.sort_unstable();
        began
    };
    assert_eq!(seconds(6).await, [0, 0, 0, 0, 1, 1]);
    let headers = |limit: &str| {
        HeaderMap::from_iter([("x-concurrency-limit".parse().unwrap(), limit.parse().unwrap())])
    };
    pace.heed(&headers("2")).await;
    assert_eq!(seconds(4).await, [0, 0, 1, 1]);
    pace.heed(&headers("1")).await;
    assert_eq!(seconds(3).await, [0, 1, 2]);
    // It may be lowered, and raised again up to the configured value.
    pace.heed(&headers("100")).await;
    assert_eq!(seconds(5).await, [0, 0, 0, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_slower_rate_in_the_headers_is_kept_to_and_a_faster_one_is_not() {
    let pace = Pace::new("crossref", Duration::from_millis(200), 9, None);
    let headers = |limit: &str| {
        HeaderMap::from_iter([
            ("x-rate-limit-limit".parse().unwrap(), limit.parse().unwrap()),
            ("x-rate-limit-interval".parse().unwrap(), "1s".parse().unwrap()),
        ])
    };
    pace.heed(&headers("50")).await;
    assert!(begin(&pace, 2).await[1] >= Duration::from_millis(200));
    pace.heed(&headers("2")).await;
    let _ = begin(&pace, 1).await;
    assert!(begin(&pace, 2).await[1] >= Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn what_is_used_up_is_waited_for_within_the_deadline_and_told_beyond_it() {
    let pace = Pace::new("openalex", Duration::ZERO, 9, None);
    pace.put_off(Duration::from_secs(100)).await;
    assert_eq!(wait_of(pace.turn(soon()).await), Some(Duration::from_secs(100)));
    sleep(Duration::from_secs(50)).await;
    let start = Instant::now();
    let _turn = pace.turn(soon()).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(50));
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_too_long_is_ours_to_tell_and_what_is_used_up_the_services() {
    for at_once in [1, 9] {
        let pace = Pace::new("arXiv", Duration::from_secs(100), at_once, None);
        let first = pace.turn(soon()).await.unwrap();
        let late = Err(
            "could not reach arXiv: too many other requests were waiting, and its time ran out"
                .to_owned(),
        );
        let told = |turn: Result<Turn<'_>, PortError>| turn.map(drop).map_err(|e| e.to_string());
        assert_eq!(told(pace.turn(soon()).await), late);
        // While the second waits, the third is behind it in line.
        let (second, third) =
            futures::join!(pace.turn(Instant::now() + Duration::from_secs(50)), pace.turn(soon()));
        assert_eq!((told(second), told(third)), (late.clone(), late));
        drop(first);
        pace.put_off(Duration::from_secs(300)).await;
        assert_eq!(wait_of(pace.turn(soon()).await), Some(Duration::from_secs(300)));
    }
}

// proves: A2
#[tokio::test(start_paused = true)]
async fn a_service_at_rest_is_left_alone_at_once_even_by_those_in_line() {
    let pace = Pace::new("arXiv", SPACING, 9, None);
    let _first = pace.turn(soon()).await.unwrap();
    let in_line = async { wait_of(pace.turn(soon()).await) };
    let limits = async {
        sleep(Duration::from_secs(1)).await;
        pace.rest(Duration::from_secs(30)).await;
        let asked = Instant::now();
        assert_eq!(wait_of(pace.turn(soon()).await), Some(Duration::from_secs(30)));
        assert_eq!(asked.elapsed(), Duration::ZERO);
    };
    // The request in line had two seconds to wait when the rest began.
    assert_eq!(futures::join!(in_line, limits).0, Some(Duration::from_secs(28)));
    sleep(Duration::from_secs(30)).await;
    assert!(pace.turn(soon()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_waiting_takes_no_turn_from_the_others() {
    let pace = Pace::new("arXiv", SPACING, 1, None);
    let start = Instant::now();
    drop(pace.turn(soon()).await.unwrap());
    let gives_up = tokio::time::timeout(Duration::from_secs(1), pace.turn(soon())).await;
    assert!(gives_up.is_err());
    drop(pace.turn(soon()).await.unwrap());
    assert_eq!(start.elapsed(), SPACING);
}

// proves: A2
#[tokio::test]
async fn spacing_and_rest_hold_across_processes() {
    let folder = tempfile::tempdir().unwrap();
    let hour = Duration::from_hours(1);
    let url = Url::parse("https://api.example.org/graph/v1/").unwrap();
    let account = Account { name: "Semantic Scholar", url: &url, key: None };
    let another = || remembering(folder.path()).service(account, hour, 3);
    drop(another().turn(soon()).await.unwrap());
    let late = another().turn(soon()).await.err();
    assert!(matches!(late, Some(PortError::Unreachable { .. })), "{late:?}");
    another().put_off(hour / 4).await;
    let wait = wait_of(another().turn(soon()).await).unwrap();
    assert!(wait <= hour / 4 && wait > hour / 8, "{wait:?}");
    // This is longer than any rest that is believed.
    another().rest(20 * hour).await;
    let wait = wait_of(another().turn(soon()).await).unwrap();
    assert!(wait <= hour && wait > hour / 2, "{wait:?}");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["semantic-scholar-api-example-org.pace"]);
    // If nothing can be written, each keeps its own pace.
    let file = folder.path().join("semantic-scholar-api-example-org.pace");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let alone = another();
    drop(alone.turn(soon()).await.unwrap());
    assert!(alone.turn(soon()).await.is_err());
}

// proves: A2
#[tokio::test]
async fn another_key_another_address_and_another_service_do_not_rest_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let [own, mirror, port] = ["https://a.example/", "https://b.example/", "https://a.example:81/"]
        .map(|url| Url::parse(url).unwrap());
    let account = |name, url, key| Account { name, url, key };
    let accounts = [
        account("Gulls", &own, Some("canary-1")),
        account("Gulls", &own, Some("canary-2")),
        account("Gulls", &own, None),
        account("Gulls", &mirror, Some("canary-1")),
        account("Gulls", &port, Some("canary-1")),
        account("Terns", &own, Some("canary-1")),
    ];
    let paces = remembering(folder.path());
    let pace = |paces: &Paces, account| paces.service(account, Duration::ZERO, 1);
    for account in accounts {
        // This holds by what this process knows, and by the files.
        for paces in [&paces, &remembering(folder.path())] {
            assert!(pace(paces, account).turn(soon()).await.is_ok(), "{account:?}");
        }
        pace(&paces, account).rest(Duration::from_mins(10)).await;
        for paces in [&paces, &remembering(folder.path())] {
            assert!(pace(paces, account).turn(soon()).await.is_err(), "{account:?}");
        }
    }
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(files.len(), accounts.len());
    assert!(files.iter().all(|file| !file.file_name().to_string_lossy().contains("canary")));
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_in_the_place_of_the_file_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let url = Url::parse("https://a.example/").unwrap();
    let account = Account { name: "Gulls", url: &url, key: None };
    memory::tests::pipe(&folder.path().join("gulls-a-example.pace"));
    let pace = remembering(folder.path()).service(account, Duration::ZERO, 1);
    // The reader waits in another thread, which this one does not wait for at the end.
    let turn = tokio::time::timeout(Duration::from_secs(20), pace.turn(soon())).await;
    if turn.is_err() {
        memory::tests::let_go(&folder.path().join("gulls-a-example.pace"));
    }
    assert!(turn.is_ok_and(|turn| turn.is_ok()));
}
