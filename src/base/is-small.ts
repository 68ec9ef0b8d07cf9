/** Whether a value is small, without a walk through all of a large one. */
import { isObject, type JsonValue } from './json.ts';

/** Whether a value has at most so many members and items, at all depths. Looks at few more than that. */
export function isSmall(value: JsonValue, mostMembers: number): boolean {
  return left(value, mostMembers) >= 0;
}

/** How many more it might have; negative once there are too many. */
function left(value: JsonValue, members: number): number {
  if (typeof value !== 'object' || value === null) return members;
  const children = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  let rest = members - children.length;
  for (const child of children) {
    if (rest < 0) break;
    if (child !== undefined) rest = left(child, rest);
  }
  return rest;
}
