/** Coalesces calls. */

/** Runs `action` once after several calls in one turn of the event loop. `action` must not throw. */
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
