/** An action that can be asked for over HTTP. */
import type { Accounts } from './accounts.ts';
import type { Planes, ServedPlane } from './planes.ts';

export interface ActionContext {
  readonly planes: Planes;
  readonly accounts: Accounts;
  readonly served: ServedPlane;
  /** Of a fork, as clients reach it. */
  readonly urlOf: (served: ServedPlane) => string;
}

export type Body = Readonly<Record<string, unknown>>;

export type Action = (context: ActionContext, body: Body) => Promise<unknown>;

/** An action with the path by which it is asked for. */
export type NamedAction = readonly [path: string, action: Action];
