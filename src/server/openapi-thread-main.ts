/** Entry point of a thread that works on OpenAPI documents of other servers (`src/http/openapi/remote`). */
import '../base/older-node.ts';
import { runOpenApiJobs } from '../http/openapi/remote/job.ts';

runOpenApiJobs();
