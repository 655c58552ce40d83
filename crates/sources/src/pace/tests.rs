use futures::future::join_all;

use super::*;

const SPACING: Duration = Duration::from_secs(3);

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn wait_of<T>(turn: Result<T, PortError>) -> Option<Duration> {
    match turn {
        Err(PortError::Limited { retry_after, .. }) => retry_after,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it may begin"),
    }
}

/// Begins `count` requests at once, each of which takes a second, and returns when they began.
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
    // It may be lowered, and raised again to what was thought at first, not above.
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
    // The one in line had two seconds to wait when the rest began.
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
    let another = || Paces::new(Some(folder.path())).service("Semantic Scholar", hour, 3);
    drop(another().turn(soon()).await.unwrap());
    let wait = wait_of(another().turn(soon()).await).unwrap();
    assert!(wait <= hour && wait > hour / 2, "{wait:?}");
    another().rest(2 * hour).await;
    let wait = wait_of(another().turn(soon()).await).unwrap();
    assert!(wait <= 2 * hour && wait > hour, "{wait:?}");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["semantic-scholar.pace"]);
    // Where nothing can be written, each keeps its own pace.
    std::fs::remove_file(folder.path().join("semantic-scholar.pace")).unwrap();
    std::fs::create_dir(folder.path().join("semantic-scholar.pace")).unwrap();
    let alone = another();
    drop(alone.turn(soon()).await.unwrap());
    assert!(wait_of(alone.turn(soon()).await).is_some());
}
