/** Types of apiregistration/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A group version and who serves it. */
export interface APIService {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: APIServiceSpec | undefined;
  /** What was last observed; written by the system. */
  status?: APIServiceStatus | undefined;
}

/** One observation of an APIService. */
export interface APIServiceCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** A list of APIService objects. */
export interface APIServiceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: APIService[] | null | undefined;
}

/** What is wanted of an APIService. */
export interface APIServiceSpec {
  /** Service that serves the group version; none: this server does. */
  service?: ServiceReference | undefined;
  /** API group that is registered. */
  group?: string | undefined;
  /** API version that is registered. */
  version?: string | undefined;
  /** Do not check the server's certificate; for tests only. */
  insecureSkipTLSVerify?: boolean | undefined;
  /** PEM certificates that the service's certificate is checked with; absent: the system's. */
  caBundle?: string | undefined;
  /** Groups with more stand first in discovery. */
  groupPriorityMinimum?: number | undefined;
  /** Versions with more stand first within the group. */
  versionPriority?: number | undefined;
}

/** What was last observed of an APIService. */
export interface APIServiceStatus {
  /** Whether the service can be reached, among others. */
  conditions?: APIServiceCondition[] | undefined;
}

/** Names a Service. */
export interface ServiceReference {
  /** Namespace of the service. */
  namespace?: string | undefined;
  /** Name of the service. */
  name?: string | undefined;
  /** Port of the service. */
  port?: number | undefined;
}
