/** Validates the check digits of ISBNs and credit card numbers (formats of OpenAPI schemas). */

import { codePoints } from '../../lib/code-points.ts';

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

export function checkCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  if (!CARD.test(digits)) return false;
  const sum = codePoints(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

export function checkIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = codePoints(digits).reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

export function checkIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = codePoints(digits).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return sum % 10 === 0;
}
