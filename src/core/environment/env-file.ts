/**
 * Reads a variable from an environment file that one container wrote for another (`fileKeyRef`).
 *
 *     NAME='value'   # a value in single quotes, taken literally; it may span several lines
 *     NAME= 'value'  # a blank after the equals sign: the value is empty
 *
 * Any other line before the variable is an error: a container must not start with a part of a value, such as
 * half a password.
 */
import { inputUnresolved } from './environment-errors.ts';

/** Empty: there is no such variable, or it has no value. */
export function readEnvFile(text: string, key: string): string {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  for (let at = 0; at < lines.length; at += 1) {
    const line = trimStart(lines[at] ?? '');
    if (line === '' || line.startsWith('#')) continue;
    const { name, rest } = splitAssignment(line, at + 1);
    if (/^[ \t]/.test(rest)) {
      if (name === key) return '';
      continue;
    }
    // Nothing behind the equals sign is no quote either.
    if (!rest.startsWith("'")) {
      throw fault(`at line ${at + 1}: value must be enclosed in single quotes`);
    }
    const { value, lastLine } = readQuoted(lines, at, rest.slice(1));
    if (name === key) return value;
    at = lastLine;
  }
  return '';
}

function splitAssignment(line: string, number: number) {
  const equals = line.indexOf('=');
  if (equals < 0) throw fault(`at line ${number}: missing '='`);
  const name = line.slice(0, equals);
  if (name === '') throw fault(`at line ${number}: empty variable name`);
  if (/[ \t]$/.test(name)) {
    throw fault(`at line ${number}: whitespace before '=' is not allowed`);
  }
  return { name, rest: line.slice(equals + 1) };
}

function readQuoted(lines: readonly string[], first: number, opening: string) {
  const parts: string[] = [];
  let rest = opening;
  for (let at = first; ;) {
    const closer = rest.indexOf("'");
    if (closer >= 0) {
      const behind = trimStart(rest.slice(closer + 1));
      if (behind !== '' && !behind.startsWith('#')) {
        throw fault(`at line ${at + 1}: unexpected content after closing quote`);
      }
      parts.push(rest.slice(0, closer));
      return { value: parts.join('\n'), lastLine: at };
    }
    parts.push(rest);
    at += 1;
    const next = lines[at];
    if (next === undefined) {
      throw fault(`starting at line ${first + 1}: unclosed single quote`);
    }
    rest = next;
  }
}

function trimStart(text: string): string {
  return text.replace(/^[ \t]+/, '');
}

function fault(where: string) {
  return inputUnresolved({ reason: `invalid environment variable format ${where}` });
}
