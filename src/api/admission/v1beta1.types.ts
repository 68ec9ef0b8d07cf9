/** Types of admission/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { UserInfo } from '../authentication/v1.types.ts';
import type { GroupVersionKind, GroupVersionResource, Status } from '../meta/v1.types.ts';

/** Admission request. */
export interface AdmissionRequest {
  /** Uid. */
  uid?: string | undefined;
  /** Kind. */
  kind?: GroupVersionKind | undefined;
  /** Resource. */
  resource?: GroupVersionResource | undefined;
  /** Sub resource. */
  subResource?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Namespace. */
  namespace?: string | undefined;
  /** Operation. */
  operation?: string | undefined;
  /** User info. */
  userInfo?: UserInfo | undefined;
  /** Object. */
  object?: JsonValue | undefined;
  /** Old object. */
  oldObject?: JsonValue | undefined;
  /** Dry run. */
  dryRun?: boolean | undefined;
  /** Options. */
  options?: JsonValue | undefined;
  /** Request kind. */
  requestKind?: GroupVersionKind | undefined;
  /** Request resource. */
  requestResource?: GroupVersionResource | undefined;
  /** Request sub resource. */
  requestSubResource?: string | undefined;
}

/** Admission response. */
export interface AdmissionResponse {
  /** Uid. */
  uid?: string | undefined;
  /** Allowed. */
  allowed?: boolean | undefined;
  /** Status. */
  status?: Status | undefined;
  /** Patch. */
  patch?: string | undefined;
  /** Patch type. */
  patchType?: string | undefined;
  /** Audit annotations. */
  auditAnnotations?: Record<string, string> | undefined;
  /** Warnings. */
  warnings?: string[] | undefined;
}

/** Admission review. */
export interface AdmissionReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Request. */
  request?: AdmissionRequest | undefined;
  /** Response. */
  response?: AdmissionResponse | undefined;
}
