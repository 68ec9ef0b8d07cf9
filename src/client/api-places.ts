/** Where the group versions of a replica are served, as far as it is not the replica itself; the server composes it. */
import type { GroupVersion } from '../meta/gvk.ts';
import type { ApiTransport } from '../webhook/api-transport.ts';

/** The server of a group version as it is registered now. */
export interface ApiPlace {
  /** Leads to another server, in the name of the controllers; undefined: this replica serves the group version. */
  readonly transport: ApiTransport | undefined;
  /** Aborted when the group version is registered in another way. */
  readonly moved: AbortSignal;
}

export interface ApiPlaces {
  /** The same value until the group version moves. */
  of(group: string, version: string): ApiPlace;
  /** Group versions that other servers serve, in the order of discovery. */
  remote(): readonly GroupVersion[];
}
