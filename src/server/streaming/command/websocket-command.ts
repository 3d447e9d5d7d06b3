/**
 * Opens the streams of exec and attach over a WebSocket: five channels, of which the client gets those it
 * asked for.
 */
import type { CommandOptions } from '../stream-options.ts';
import { Channels } from '../websocket/channels.ts';
import type { OpenWebSocket } from '../websocket/open-websocket.ts';
import type { CommandWire } from './command-wire.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CHANNELS = 5;
const NOTHING = new Uint8Array();

export function openWebSocketCommand(
  open: OpenWebSocket,
  protocol: string,
  { stdin, stdout, stderr }: CommandOptions,
): CommandWire {
  const channels = new Channels(open, {
    count: CHANNELS,
    isBase64: protocol.includes('base64'),
    hasClose: protocol.startsWith('v5.'),
    reads: (channel) => channel === RESIZE || (channel === STDIN && stdin),
  });
  // Clients wait for this empty message, which means that the connection is established.
  channels.at(stdout ? STDOUT : stderr ? STDERR : ERROR).announce(NOTHING);
  return {
    stdin: stdin ? channels.at(STDIN) : null,
    stdout: stdout ? channels.at(STDOUT) : null,
    stderr: stderr ? channels.at(STDERR) : null,
    sizes: channels.at(RESIZE),
    error: channels.at(ERROR),
    hasStatus: protocol.startsWith('v4.') || protocol.startsWith('v5.'),
    gone: open.gone,
    close: () => channels.close(),
  };
}
