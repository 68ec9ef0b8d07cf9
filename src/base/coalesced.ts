/** Many causes, one reaction. */

/** What is called for several times in one turn of the loop's work is done once, after it. `action` must not throw. */
export function coalesced(action: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      action();
    });
  };
}
