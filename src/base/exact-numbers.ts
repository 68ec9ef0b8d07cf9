/** Whether this Node reads numbers of JSON with their exact text (`JSON.rawJSON`, source texts of `JSON.parse`). */

/** The flag of V8 that brings it into a Node that lacks it, which is Node 20; undefined where nothing is needed. */
export const exactNumbersFlag: string | undefined =
  typeof (JSON as Partial<typeof JSON>).rawJSON === 'function'
    ? undefined
    : '--harmony-json-parse-with-source';
