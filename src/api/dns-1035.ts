/**
 * Validates DNS-1035 labels, which begin with a letter: names and versions in CustomResourceDefinitions and
 * in admission configurations.
 */

const LENGTH_MAX = 63;
const FORM = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** The API server's errors about the text. Empty: it is valid. */
export function checkDns1035Label(text: string): readonly string[] {
  const problems: string[] = [];
  if (text.length > LENGTH_MAX) problems.push(`must be no more than ${LENGTH_MAX} characters`);
  if (!LABEL.test(text)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
        'alphabetic character, and end with an alphanumeric character ' +
        `(e.g. 'my-name',  or 'abc-123', regex used for validation is '${FORM}')`,
    );
  }
  return problems;
}
