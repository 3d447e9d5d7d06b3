/**
 * Removes secrets from log lines:
 *
 *     by name     the value of a key such as `password`, `token` or `authorization`
 *     by form     a bearer token, a JSON Web Token, a private key, the password of a URL
 *
 * The second rule is needed because error messages quote the input that caused them.
 */

export const REDACTED = '--- REDACTED ---';

/** Keys such as `tokenPath` and `secretName` do not match: they say where a secret is, not what it is. */
const SECRET_KEY =
  /^(?:.*_)?(?:password|passwd|token|idtoken|accesstoken|refreshtoken|identitytoken|registrytoken|bearertoken|authorization|auth|apikey|privatekey|clientkeydata|client-key-data|secretvalue)$/i;

const FORMS: readonly (readonly [form: RegExp, replacement: string])[] = [
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    '-----BEGIN PRIVATE KEY----- --- REDACTED ---',
  ],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,256}):[^\s/@]{1,256}@/gi, `$1:${REDACTED}@`],
];

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

export function redactText(text: string): string {
  let clean = text;
  for (const [form, replacement] of FORMS) clean = clean.replaceAll(form, replacement);
  return clean;
}
