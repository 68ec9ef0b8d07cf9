/** Where the build keeps what control planes without options begin with; sources have none. */
import { join } from 'node:path';

export const builtBeginning = join(import.meta.dirname, 'beginning.json');
