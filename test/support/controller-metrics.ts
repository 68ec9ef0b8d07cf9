/** Metrics of controllers that nobody reads. */
import type { ControllerMetrics } from '../../src/controllers/types.ts';

const ignore = (): void => undefined;

export const noControllerMetrics: ControllerMetrics = {
  queue: () => ({ added: ignore, taken: ignore, worked: ignore }),
  leading: ignore,
};
