/** Types of discovery/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Endpoint. */
export interface Endpoint {
  /** Addresses. */
  addresses?: string[] | null | undefined;
  /** Conditions. */
  conditions?: EndpointConditions | undefined;
  /** Hostname. */
  hostname?: string | undefined;
  /** Target ref. */
  targetRef?: ObjectReference | undefined;
  /** Topology. */
  topology?: Record<string, string> | undefined;
  /** Node name. */
  nodeName?: string | undefined;
  /** Hints. */
  hints?: EndpointHints | undefined;
}

/** Endpoint conditions. */
export interface EndpointConditions {
  /** Ready. */
  ready?: boolean | undefined;
  /** Serving. */
  serving?: boolean | undefined;
  /** Terminating. */
  terminating?: boolean | undefined;
}

/** Endpoint hints. */
export interface EndpointHints {
  /** For zones. */
  forZones?: ForZone[] | undefined;
}

/** Endpoint port. */
export interface EndpointPort {
  /** Name. */
  name?: string | undefined;
  /** Protocol. */
  protocol?: string | undefined;
  /** Port. */
  port?: number | undefined;
  /** App protocol. */
  appProtocol?: string | undefined;
}

/** Endpoint slice. */
export interface EndpointSlice {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Endpoints. */
  endpoints?: Endpoint[] | null | undefined;
  /** Ports. */
  ports?: EndpointPort[] | null | undefined;
  /** Address type. */
  addressType?: string | undefined;
}

/** Endpoint slice list. */
export interface EndpointSliceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: EndpointSlice[] | null | undefined;
}

/** For zone. */
export interface ForZone {
  /** Name. */
  name?: string | undefined;
}
