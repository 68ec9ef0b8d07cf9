/** Types of admission/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { UserInfo } from '../authentication/v1.types.ts';
import type { GroupVersionKind, GroupVersionResource, Status } from '../meta/v1.types.ts';

/** The request under review. */
export interface AdmissionRequest {
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** Kind of the object meant. */
  kind?: GroupVersionKind | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: GroupVersionResource | undefined;
  /** Subresource asked for. */
  subResource?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** What was done. */
  operation?: string | undefined;
  /** Who asks. */
  userInfo?: UserInfo | undefined;
  /** The object. */
  object?: JsonValue | undefined;
  /** The object before the change. */
  oldObject?: JsonValue | undefined;
  /** All: work everything out, but store nothing. */
  dryRun?: boolean | undefined;
  /** Options of the operation. */
  options?: JsonValue | undefined;
  /** Kind as the client sent it. */
  requestKind?: GroupVersionKind | undefined;
  /** Resource as the client sent it. */
  requestResource?: GroupVersionResource | undefined;
  /** Subresource as the client sent it. */
  requestSubResource?: string | undefined;
}

/** The verdict. */
export interface AdmissionResponse {
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** True: it may go ahead. */
  allowed?: boolean | undefined;
  /** What was last observed; written by the system. */
  status?: Status | undefined;
  /** The patch to apply. */
  patch?: string | undefined;
  /** Kind of the patch. */
  patchType?: string | undefined;
  /** Annotations for the audit record. */
  auditAnnotations?: Record<string, string> | undefined;
  /** Warnings for the client. */
  warnings?: string[] | undefined;
}

/** Asks a webhook about a request. */
export interface AdmissionReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** What was asked. */
  request?: AdmissionRequest | undefined;
  /** The answer. */
  response?: AdmissionResponse | undefined;
}
