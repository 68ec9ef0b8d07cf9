/** The shape of what the API answers, as far as tests look at it. */

export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

export interface ApiList {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: ApiObject[];
  [field: string]: unknown;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: ApiObject;
}
