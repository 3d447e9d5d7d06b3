/**
 * Scripts: texts that a person can read and a test can play.
 *
 *     # Why this happens, in a sentence or two.
 *
 *     what happens
 *     ----
 *     what podkeep makes of it
 *
 * Playing a script writes the part below each line again, so a test is "playing it changes nothing".
 */
const BLOCK = /^([a-z].*)\n----\n(?:.+\n)*/gm;

export async function playScript(
  script: string,
  play: (command: string) => Promise<readonly string[]>,
): Promise<string> {
  let played = '';
  let last = 0;
  for (const { 0: block, 1: command = '', index } of script.matchAll(BLOCK)) {
    const lines = await play(command);
    played += script.slice(last, index);
    played += `${command}\n----\n${lines.map((line) => `${line}\n`).join('')}`;
    last = index + block.length;
  }
  return played + script.slice(last);
}
