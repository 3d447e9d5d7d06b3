/** Watches a folder or a file for changes (inotify). Events may be missed, so callers also poll. */
import { statSync, watch } from 'node:fs';
import path from 'node:path';

/** Calls `changed` for each change of `source`, and `ended` if there will be no more events. */
export type WatchFolder = (source: string, changed: () => void, ended: () => void) => () => void;

/** A file is watched through its folder: an editor may replace it by another inode. */
export const watchFolder: WatchFolder = (source, changed, ended) => {
  const isFolder = statSync(source).isDirectory();
  const name = path.basename(source);
  const watcher = watch(isFolder ? source : path.dirname(source), { persistent: false });
  watcher.on('change', (_type, changedName) => {
    if (isFolder || changedName === null || String(changedName) === name) changed();
  });
  watcher.on('error', ended);
  return () => watcher.close();
};
