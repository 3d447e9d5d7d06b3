/** What containers look for commands in, if podkeep itself was told nothing. */
export const USUAL_SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
