/** Parses the node's resolv.conf. */
import type { DnsConfig } from '../../../ports/runtime/sandbox-config.ts';

/** If there are several search lines, the last one counts. Of options with the same name the last one counts. */
export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: readonly string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split('\n')) {
    const bare = line.trim();
    if (bare.startsWith('#') || bare.startsWith(';')) continue;
    const [keyword, ...words] = bare.split(/\s+/);
    if (keyword === 'nameserver' && words[0]) servers.push(words[0]);
    // The same domain with and without a final dot counts once; a lone dot is no domain.
    if (keyword === 'search') {
      searches = words.filter((word) => word !== '.').map((word) => word.replace(/\.$/, ''));
    }
    if (keyword !== 'options') continue;
    for (const word of words) options.set(word.split(':')[0] ?? word, word);
  }
  return { servers, searches, options: [...options.values()] };
}
