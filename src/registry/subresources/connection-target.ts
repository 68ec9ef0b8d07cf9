/** Where a connection to a pod, service or node leads, as far as objects tell. */

/** The agent of a node, which runs containers and serves their logs and streams. */
export interface NodeAgent {
  readonly node: string;
  /** As the node reports them, in its order. */
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  /** As the node reports it; 0 if it does not. */
  readonly port: number;
}

export type ConnectionTarget =
  /** There is nothing to connect to, such as the log of a pod that runs nowhere. */
  | { readonly kind: 'nothing' }
  /** A path of the node's agent, with its query, percent-encoded. */
  | {
      readonly kind: 'agent';
      readonly agent: NodeAgent;
      readonly path: string;
      /** The client takes a log from an agent whose certificate cannot be verified. */
      readonly skipsVerification: boolean;
    }
  /** A port of a node: that of its agent if it is '' or the same. */
  | { readonly kind: 'node'; readonly agent: NodeAgent; readonly scheme: Scheme; readonly port: string }
  /** A port of a pod, or behind a service; the usual port of the scheme if it is ''. */
  | { readonly kind: 'address'; readonly scheme: Scheme; readonly ip: string; readonly port: string };

export type Scheme = 'http' | 'https';
