/** Types of apiregistration/v1; generated from v1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** API service. */
export interface APIService {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: APIServiceSpec | undefined;
  /** Status. */
  status?: APIServiceStatus | undefined;
}

/** API service condition. */
export interface APIServiceCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** API service list. */
export interface APIServiceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: APIService[] | null | undefined;
}

/** API service spec. */
export interface APIServiceSpec {
  /** Service. */
  service?: ServiceReference | undefined;
  /** Group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
  /** Insecure skip TLS verify. */
  insecureSkipTLSVerify?: boolean | undefined;
  /** Ca bundle. */
  caBundle?: string | undefined;
  /** Group priority minimum. */
  groupPriorityMinimum?: number | undefined;
  /** Version priority. */
  versionPriority?: number | undefined;
}

/** API service status. */
export interface APIServiceStatus {
  /** Conditions. */
  conditions?: APIServiceCondition[] | undefined;
}

/** Service reference. */
export interface ServiceReference {
  /** Namespace. */
  namespace?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Port. */
  port?: number | undefined;
}
