/** What a pass over objects needs to know of their schemas, worked out once for each node of the schema's graph. */
import type { Schema } from './types.ts';

/** How a pass makes its node of a schema's. */
export interface PlanMaker<N> {
  /** A node that knows nothing yet of what is below it. */
  readonly create: (schema: Schema) => N;
  /** Fills in what is below; `of` gives the nodes there, which may still be empty where the schema has a cycle. */
  readonly fill: (node: N, schema: Schema, of: (schema: Schema) => N) => void;
}

/**
 * Gives the node of a schema, built on first use and cached as long as the schema. Nodes refer to each other, so that a
 * pass looks up the one at its root only, and not one for every struct that it comes to.
 */
export function plannedBy<N extends object>({ create, fill }: PlanMaker<N>): (schema: Schema) => N {
  const known = new WeakMap<Schema, N>();
  const of = (schema: Schema): N => {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const node = create(schema);
    known.set(schema, node);
    fill(node, schema, of);
    return node;
  };
  return of;
}
