//! English words that say nothing about a topic.

/// Lower case, sorted.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "about", "above", "according", "across", "actually", "after", "again", "against", "ago",
    "all", "almost", "alone", "along", "already", "also", "although", "always", "am", "among", "an",
    "and", "another", "any", "anybody", "anyone", "anything", "anyway", "are", "aren't", "around",
    "as", "ask", "assistant", "at", "away", "back", "be", "became", "because", "become", "been",
    "before", "being", "below", "besides", "between", "beyond", "both", "but", "by", "came", "can",
    "can't", "cannot", "come", "comes", "could", "couldn't", "did", "didn't", "do", "does",
    "doesn't", "doing", "don't", "done", "down", "during", "each", "either", "else", "enough",
    "etc", "even", "ever", "every", "everyone", "everything", "few", "finally", "first", "for",
    "from", "further", "gave", "get", "gets", "getting", "give", "given", "gives", "go", "goes",
    "going", "gone", "good", "got", "had", "has", "hasn't", "have", "haven't", "having", "he",
    "hello", "hence", "her", "here", "hers", "herself", "hey", "hi", "him", "himself", "his", "how",
    "however", "human", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "indeed", "instead", "into",
    "is", "isn't", "it", "it's", "its", "itself", "just", "keep", "kind", "last", "later", "least",
    "less", "let", "let's", "like", "likely", "little", "lot", "lots", "made", "mainly", "make",
    "makes", "making", "many", "may", "maybe", "me", "mean", "means", "might", "mine", "more",
    "moreover", "most", "mostly", "much", "must", "my", "myself", "near", "need", "needs",
    "neither", "never", "next", "nice", "no", "nobody", "none", "nor", "not", "nothing", "now",
    "of", "off", "often", "oh", "ok", "okay", "on", "once", "one", "only", "onto", "or", "other",
    "others", "otherwise", "our", "ours", "ourselves", "out", "over", "own", "per", "perhaps",
    "please", "put", "quite", "rather", "really", "right", "said", "same", "say", "says", "see",
    "seem", "seems", "seen", "several", "shall", "she", "should", "shouldn't", "since", "so",
    "some", "somebody", "someone", "something", "sometimes", "soon", "still", "such", "sure",
    "take", "taken", "takes", "tell", "than", "thank", "thanks", "that", "that's", "the", "their",
    "theirs", "them", "themselves", "then", "there", "there's", "therefore", "these", "they",
    "they're", "thing", "things", "think", "this", "those", "though", "through", "thus", "to",
    "today", "together", "told", "tomorrow", "too", "took", "toward", "towards", "under", "unless",
    "until", "up", "upon", "us", "use", "used", "user", "uses", "using", "usually", "very", "want",
    "wanted", "wants", "was", "wasn't", "way", "we", "we'll", "we're", "we've", "well", "went",
    "were", "weren't", "what", "what's", "when", "where", "whether", "which", "while", "who",
    "whole", "whom", "whose", "why", "will", "with", "within", "without", "won't", "would",
    "wouldn't", "yeah", "yes", "yesterday", "yet", "you", "you're", "your", "yours", "yourself",
];

/// Whether a lower-case word says nothing about a topic.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_lower_case_and_without_doubles() {
        assert!(STOP.is_sorted_by(|a, b| a < b));
        assert!(STOP.iter().all(|word| *word == word.to_lowercase()));
    }

    #[test]
    fn topics_are_kept() {
        assert!(is_stop("because") && is_stop("you're"));
        assert!(!is_stop("billing") && !is_stop("stripe"));
    }
}
