//! The conformance suite of the stores, run in full against SQLite, MongoDB as a replica set, and
//! MongoDB without one, which has no transactions.

pub(super) mod fixtures;
mod killed;
mod outage;
mod server;
mod suite;

/// One test of each case for each store.
macro_rules! conformance {
    ($($module:ident: $($case:ident)+;)+) => {
        mod sqlite {
            $($(#[test] fn $case() { super::suite::$module::$case(&super::fixtures::sqlite()); })+)+
        }

        mod mongo {
            $($(#[test] fn $case() {
                super::fixtures::mongo(true).iter().for_each(super::suite::$module::$case);
            })+)+
        }

        mod mongo_without_transactions {
            $($(#[test] fn $case() {
                super::fixtures::mongo(false).iter().for_each(super::suite::$module::$case);
            })+)+
        }
    };
}

conformance! {
    users:
        tenants_are_found_by_id_and_listed_by_name
        names_and_emails_are_taken_once
        users_belong_to_one_tenant;
    projects:
        a_project_is_found_in_its_tenant_only
        a_project_starts_with_everything_or_not_at_all
        the_revision_grows_with_the_story_only
        whole_collections_come_in_order
        writes_are_there_after_reopening;
    objects:
        an_object_reads_back_exactly
        missing_and_foreign_objects_look_the_same
        only_the_expected_revision_is_replaced
        a_commit_happens_as_a_whole_or_not_at_all
        a_commit_changes_nothing_twice
        a_commit_can_rely_on_the_projects_revision
        one_edge_of_a_type_leads_from_one_node_to_another
        an_edge_can_be_removed_and_drawn_again
        packs_are_found_by_their_input_and_the_latest_wins
        every_commit_leaves_an_event
        the_types_of_entities_are_returned;
    hostile_input:
        free_fields_hold_any_json
        operator_documents_are_data
        unstorable_values_are_refused
        malformed_ids_are_not_found
        large_documents_fit;
    searching:
        words_are_found_without_case_and_accents_by_their_beginning
        the_best_matches_come_first
        pages_are_stable_and_totals_true
        types_filter_and_tenants_part
        a_blank_query_lists_the_latest_changes
        signs_are_never_a_query_language
        changed_words_are_found_and_old_ones_not
        searches_agree_with_a_full_scan;
    publishing:
        publication_is_a_snapshot_a_status_and_a_number
        a_published_object_is_published_once
        versions_stay_what_they_were;
    concurrency:
        eight_writers_lose_no_update
        edits_run_one_after_the_other
        concurrent_edges_close_no_cycle
        readers_see_whole_commits
        several_handles_share_one_store;
}
