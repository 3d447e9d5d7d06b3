/**
 * Serves /logs/: the log files of the machine, with folder listings. It is served only if a folder is
 * configured (enableSystemLogHandler of KubeletConfiguration); by default podkeep has none.
 *
 * Links inside the folder are followed, because /var/log has some. A link out of it gets 404. Only folders
 * and regular files are shown.
 */
import { constants } from 'node:fs';
import { open, readdir, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import { pathNotFound } from '../answers.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const BLOCK_BYTES = 64 * 1024;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);

/** `asked`: the decoded path below the folder, without dots. `hasSlash`: it ended with a slash. */
export async function nodeLogs(
  folder: string,
  asked: string,
  hasSlash: boolean,
): Promise<ApiResponse> {
  try {
    const root = await realpath(folder);
    const place = await realpath(path.join(root, asked));
    if (place !== root && !place.startsWith(root + path.sep)) return pathNotFound();
    return await show(place, hasSlash);
  } catch {
    return pathNotFound();
  }
}

async function show(place: string, hasSlash: boolean): Promise<ApiResponse> {
  const handle = await open(place, READ);
  const stats = await handle.stat();
  if (stats.isFile() && !hasSlash) return fileAnswer(handle, stats.size);
  await handle.close();
  if (!stats.isDirectory()) return pathNotFound();
  if (hasSlash) return folderAnswer(place);
  const location = `${encodeURIComponent(path.basename(place))}/`;
  return { status: 301, headers: [['location', location]], body: null };
}

/** Sends the file up to its current size: a log that grows faster than it is read would never end. */
function fileAnswer(handle: FileHandle, size: number): ApiResponse {
  let position = 0;
  const read = async (): Promise<Uint8Array> => {
    const buffer = new Uint8Array(Math.min(BLOCK_BYTES, size - position));
    if (buffer.length === 0) return buffer;
    const { bytesRead } = await handle.read({ buffer, position });
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const bytes = await read().catch(async (error: unknown) => {
          await handle.close();
          throw error;
        });
        if (bytes.length > 0) return controller.enqueue(bytes);
        await handle.close();
        controller.close();
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  );
  return { status: 200, headers: [['content-type', 'text/plain; charset=utf-8']], body };
}

async function folderAnswer(place: string): Promise<ApiResponse> {
  const entries = await readdir(place, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const links = names.toSorted().map((name) => {
    const href = name.split('/').map(encodeURIComponent).join('/');
    return `<a href="${href}">${escapeHtml(name)}</a>\n`;
  });
  const body = `<!doctype html>\n<pre>\n${links.join('')}</pre>\n`;
  return { status: 200, headers: [['content-type', 'text/html; charset=utf-8']], body };
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => ESCAPES.get(mark) ?? mark);
}
