/**
 * The folders of volumes that the local provisioner creates, on the node that runs in this process.
 *
 * A volume is identified only by its name, which `isProvisionedVolumeName` checks; any other name is refused.
 * No path that a client wrote into an object ever reaches the disk.
 */
export interface LocalVolumes {
  /** The node that has the folders: no other node can reach them. */
  readonly nodeName: string;
  /** Where the folder of the volume is, whether it exists or not. */
  pathOf(name: string): string;
  /** Creates the folder, durably. One that exists already is used as it is. */
  make(name: string): Promise<void>;
  /** Removes the folder and all that is in it. A missing one is no error. */
  remove(name: string): Promise<void>;
}
