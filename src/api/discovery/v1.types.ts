/** Types of discovery/v1; generated from v1.proto by `npm run generate`. */
import type { ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** An address behind a service. */
export interface Endpoint {
  /** Addresses. */
  addresses?: string[] | null | undefined;
  /** Latest observations, one per type. */
  conditions?: EndpointConditions | undefined;
  /** Host name. */
  hostname?: string | undefined;
  /** The object behind it. */
  targetRef?: ObjectReference | undefined;
  /** Where it is, by label; replaced by zone and nodeName. */
  deprecatedTopology?: Record<string, string> | undefined;
  /** Node meant. */
  nodeName?: string | undefined;
  /** Zone that it is in. */
  zone?: string | undefined;
  /** Where its traffic should come from. */
  hints?: EndpointHints | undefined;
}

/** Whether an endpoint can take traffic. */
export interface EndpointConditions {
  /** Whether it is ready. */
  ready?: boolean | undefined;
  /** Whether it answers, even while going. */
  serving?: boolean | undefined;
  /** Whether it is going. */
  terminating?: boolean | undefined;
}

/** Where an endpoint's traffic should come from. */
export interface EndpointHints {
  /** Zones that it should serve. */
  forZones?: ForZone[] | undefined;
  /** Nodes that the endpoint is meant for. */
  forNodes?: ForNode[] | undefined;
}

/** A port behind a service. */
export interface EndpointPort {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Port number. */
  port?: number | undefined;
  /** Protocol spoken above the port's own. */
  appProtocol?: string | undefined;
}

/** Some of the addresses behind a service. */
export interface EndpointSlice {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The endpoints. */
  endpoints?: Endpoint[] | null | undefined;
  /** Ports offered. */
  ports?: EndpointPort[] | null | undefined;
  /** IPv4, IPv6 or FQDN. */
  addressType?: string | undefined;
}

/** A list of EndpointSlice objects. */
export interface EndpointSliceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: EndpointSlice[] | null | undefined;
}

/** A node that an endpoint is meant for. */
export interface ForNode {
  /** Name of the node. */
  name?: string | undefined;
}

/** A zone to serve. */
export interface ForZone {
  /** Name, unique among its siblings. */
  name?: string | undefined;
}
