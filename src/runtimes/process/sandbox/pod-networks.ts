/**
 * The pod networks of the nodes in one process. Each node has a bridge of its own. When a node is added or
 * removed, the bridges of the others are connected again, so that pods of different nodes reach each other as
 * pods of one node do.
 */

export interface NodePodNetwork {
  readonly bridge: string;
  /** Such as `10.231.31.0/24`. */
  readonly subnet: string;
}

export interface PodNetworkMember extends NodePodNetwork {
  /** Makes its pods reach the others, and no more than these. Does not reject. */
  readonly connect: (others: readonly NodePodNetwork[]) => Promise<void>;
}

export class PodNetworks {
  readonly #members = new Map<string, PodNetworkMember>();
  #working: Promise<void> = Promise.resolve();

  /** The bridge exists. Resolves when all members reach each other. */
  async join(member: PodNetworkMember): Promise<void> {
    this.#members.set(member.bridge, member);
    await this.reconnect();
  }

  /** Its routes stay as they are: its pods may go on without podkeep. */
  leave(bridge: string): void {
    this.#members.delete(bridge);
  }

  /** One member after the other, and one round at a time: a member is never connected twice at once. */
  reconnect(): Promise<void> {
    this.#working = this.#working.then(async () => {
      for (const member of this.#members.values()) {
        const others = [...this.#members.values()].filter((each) => each !== member);
        await member.connect(others);
      }
    });
    return this.#working;
  }
}
