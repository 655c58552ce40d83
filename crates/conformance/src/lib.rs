//! What every log, library, store of startup contexts, of files or of what users use, memory of services, and database that can be moved
//! must do, whatever it is built on.
//!
//! Each part is a module of functions that take the port, empty, and, for logs, the name under which a living process holds runs in it.
//! An adapter makes tests of all of them with one macro for each port:
//!
//! ```
//! # use std::sync::Arc;
//! # use run::log::Log;
//! /// Returns an empty log, the name of a living owner, and what must live as long as the log does.
//! async fn open() -> (Arc<dyn Log>, String, ()) {
//! # std::future::pending().await
//! }
//!
//! conformance::log_tests!(open);
//! ```
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

pub mod contexts;
pub mod files;
pub mod history;
pub mod languages;
pub mod library;
pub mod log;
pub mod moving;
pub mod pages;
pub mod proxy;
pub mod runs;
#[cfg(unix)]
pub mod server;
pub mod services;
pub mod story;
pub mod usage;
pub mod vectors;

/// One test for each thing that every log must do. Takes an async function that returns an empty log, its owner, and a guard.
#[macro_export]
macro_rules! log_tests {
    ($open:path) => {
        $crate::log_tests! { $open; log:
            what_is_appended_reads_back_equal
            the_row_says_what_the_last_append_said
            entries_that_do_not_follow_are_refused_and_nothing_is_stored
            a_run_is_created_once_and_from_its_first_entry
            an_attempt_that_was_overtaken_writes_no_more
            of_a_thousand_answers_one_is_taken
            of_many_claims_at_once_one_gets_the_run
            a_run_can_be_taken_up_only_while_it_is_open_and_nobody_holds_it
            appends_keep_the_order_of_the_calls
            what_nobody_waits_for_is_stored_within_moments
            what_was_called_before_a_durable_append_is_stored_with_it
            an_attempt_that_lost_an_append_writes_no_more
            an_append_that_is_refused_leaves_its_neighbours
            runs_are_listed_newest_first_in_pages
            runs_are_found_by_how_their_ids_begin
            the_run_of_another_user_is_not_there
            whoever_works_on_a_run_hears_that_it_should_stop
            a_request_to_stop_outlives_a_worker_that_died_before_it_heard
            a_renewed_run_stays_held
            a_thousand_readers_at_once_are_all_answered
        }
        $crate::log_tests! { $open; runs:
            a_list_shows_the_runs_that_it_is_asked_for
            a_list_that_goes_on_from_a_run_shows_each_run_once
            what_a_worker_may_take_up_is_what_nobody_works_on
            a_key_makes_one_run_of_its_user
            a_run_that_is_asked_to_stop_says_so_until_it_has
            a_user_has_no_more_runs_of_a_method_at_work_than_are_allowed
            a_run_is_removed_unless_somebody_holds_it
            what_has_ended_is_found_by_when_it_did
        }
    };
    ($open:path; $part:ident: $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (log, owner, _guard) = $open().await;
            $crate::$part::$name(&*log, &owner).await;
        }
    )*};
}

/// One test for each thing that every store of what users make of their runs must do. Takes an async function that returns an empty
/// database and a guard.
#[macro_export]
macro_rules! history_tests {
    ($open:path) => {
        $crate::history_tests! { $open;
            a_title_and_a_pin_are_the_row_s_and_not_the_log_s
            a_run_is_found_by_its_title_and_by_what_it_came_to
            a_link_leads_to_one_run_until_it_is_ended
        }
    };
    ($open:path; $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (kept, _guard) = $open().await;
            $crate::history::$name(&kept).await;
        }
    )*};
}

/// One test for each thing that every library must do. Takes an async function that returns an empty library and a guard.
#[macro_export]
macro_rules! library_tests {
    ($open:path) => {
        $crate::library_tests! { $open; library:
            a_collection_is_made_once_and_opened_again
            a_collection_made_another_way_is_refused_and_the_difference_named
            a_document_is_added_left_alone_or_replaced_index_and_all
            a_file_is_kept_with_its_document_and_goes_with_it
            a_library_ranks_alike_whatever_was_in_it_before
            documents_are_removed_by_path
            a_collection_is_removed_with_everything_in_it
            a_document_comes_back_to_the_byte
            a_passage_is_found_again_by_the_id_that_a_search_gave_it
            a_document_is_removed_by_its_id_index_and_all
            what_is_found_is_what_was_asked_for_best_first
            terms_are_counted_in_the_chunks_of_the_collection
            every_passage_is_the_stretch_of_its_document_that_it_says
            a_chunk_that_is_no_stretch_of_the_text_is_refused
            a_filter_takes_metadata_without_regard_to_case
            the_collection_of_another_user_is_not_there
            a_second_collection_does_not_influence_the_scores
            no_question_is_an_error
            a_question_as_long_as_a_book_is_answered_like_another
            names_and_paths_may_be_any_text
            what_is_not_there_is_said_to_be_missing
            what_was_fetched_is_cited_as_where_it_came_from
        }
        $crate::library_tests! { $open; languages:
            each_document_is_found_in_its_own_language
            a_word_under_several_stemmers_is_one_term
            a_question_in_another_language_than_all_documents_is_told_so
            a_collection_of_an_earlier_version_goes_on_as_it_was_made
            a_filter_takes_one_of_a_list_and_says_what_values_there_are
            what_a_subject_is_comes_before_what_is_said_of_it
        }
        $crate::library_tests! { $open; vectors:
            vectors_find_what_no_word_does
            a_document_gives_its_vectors_by_what_was_embedded
            vectors_of_another_making_are_refused
            vectors_go_with_their_documents_and_pass_the_filter
            documents_are_stored_together_or_not_at_all
            asking_again_finds_the_same
            an_empty_collection_may_be_made_another_way
            scripts_without_spaces_are_found_by_pairs_of_characters
        }
    };
    ($open:path; $part:ident: $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (library, _guard) = $open().await;
            $crate::$part::$name(&*library).await;
        }
    )*};
}

/// One test for each thing that every store of startup contexts must do. Takes an async function that returns an empty store and a
/// guard.
#[macro_export]
macro_rules! context_tests {
    ($open:path) => {
        $crate::context_tests! { $open;
            a_context_comes_back_as_it_was_kept
            the_largest_context_is_kept_and_read_again
            an_id_is_taken_once_and_nothing_is_written_over
            what_is_not_there_is_neither_replaced_nor_touched_nor_removed
            the_last_accessed_is_listed_first
            a_touch_never_goes_back
            one_user_s_contexts_are_not_there_for_another
            a_wrong_context_is_refused_and_said_to_be
            several_are_kept_together_or_not_at_all
            of_many_who_add_one_id_at_once_one_wins
            only_what_was_read_is_exchanged
            of_many_threads_that_edit_at_once_none_loses_anything
            hostile_ids_name_nothing_and_make_nothing
        }
    };
    ($open:path; $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (contexts, _guard) = $open().await;
            $crate::contexts::$name(&contexts).await;
        }
    )*};
}

/// One test for each thing that every store of users' files must do. Takes an async function that returns an empty store and a guard.
#[macro_export]
macro_rules! file_tests {
    ($open:path) => {
        $crate::file_tests! { $open;
            a_file_is_read_as_it_was_kept_and_by_its_user_alone
            a_file_of_another_length_or_digest_is_not_read
            a_set_is_made_replaced_and_forgotten
            a_set_is_exchanged_only_for_what_was_read
            of_many_who_add_to_a_set_at_once_none_is_lost
            what_is_no_name_names_nothing
            files_of_all_users_are_listed_in_parts
        }
    };
    ($open:path; $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (files, _guard) = $open().await;
            $crate::files::$name(&files).await;
        }
    )*};
}

/// One test for each thing that every database that can be moved must do. Takes an async function that returns an empty one and a guard.
#[macro_export]
macro_rules! moving_tests {
    ($open:path) => {
        $crate::moving_tests! { $open;
            a_run_is_put_where_it_stands_as_expected
            a_run_that_is_put_takes_no_key_and_no_run_from_its_worker
            what_a_user_made_of_a_run_is_put_where_it_is_missing
            runs_are_listed_in_the_order_in_which_they_were_put
            a_log_comes_in_parts_of_bounded_size
            a_collection_keeps_its_id_and_no_later_one_gets_it
            a_document_arrives_with_its_index_to_the_byte
            a_document_that_does_not_fit_is_refused
        }
    };
    ($open:path; $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (database, _guard) = $open().await;
            $crate::moving::$name(&database).await;
        }
    )*};
}

/// One test for each thing that every memory of services must do. Takes an async function that returns an empty one and a guard.
#[macro_export]
macro_rules! memory_tests {
    ($open:path) => {
        $crate::memory_tests! { $open;
            an_answer_is_found_again_until_another_takes_its_place
            an_answer_beyond_the_limit_is_none
            of_many_who_would_begin_at_once_one_does
            a_service_is_left_alone_as_long_as_it_wants_and_no_longer_than_is_sound
        }
    };
    ($open:path; $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (memory, _guard) = $open().await;
            $crate::services::$name(&memory).await;
        }
    )*};
}

/// One test for each thing that every store of what users use must do. Takes an async function that returns an empty one, which is a
/// log as well, and a guard.
#[macro_export]
macro_rules! usage_tests {
    ($open:path) => {
        $crate::usage_tests! { $open;
            a_day_counts_the_runs_that_were_created_on_it_and_what_they_spent
            a_run_that_was_removed_counts_on_its_day_as_before
            uploads_are_added_up_to_the_limit_and_no_further
            of_many_uploads_at_once_no_more_are_added_than_fit
            one_user_s_use_is_not_another_s
        }
    };
    ($open:path; $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (store, _guard) = $open().await;
            $crate::usage::$name(&store).await;
        }
    )*};
}
