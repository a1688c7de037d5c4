import { ServiceError } from '../../../kernel/plugin-api.ts';

/** Thrown when facts were stored since a page was judged that decide about its facts. The page must be judged again. */
export class PageOutdated extends ServiceError {
  constructor() {
    super('unavailable', 'facts with the same ids arrive at this moment; send these again', {
      headers: { 'Retry-After': '1' },
    });
  }
}
