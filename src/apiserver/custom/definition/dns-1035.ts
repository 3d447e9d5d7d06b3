/** Names that begin with a letter: those of kinds, versions and their short forms (RFC 1035). */

const LENGTH_MAX = 63;
const FORM = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** What is wrong with it; nothing: it is such a name. */
export function checkDns1035Label(text: string): readonly string[] {
  const complaints: string[] = [];
  if (text.length > LENGTH_MAX) complaints.push(`must be no more than ${LENGTH_MAX} characters`);
  if (!LABEL.test(text)) {
    complaints.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
        'alphabetic character, and end with an alphanumeric character ' +
        `(e.g. 'my-name',  or 'abc-123', regex used for validation is '${FORM}')`,
    );
  }
  return complaints;
}
