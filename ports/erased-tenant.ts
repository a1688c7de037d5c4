import { ServiceError } from './service-error.ts';

/** The refusal of a write for a tenant that is removed or being removed. */
export class ErasedTenant extends ServiceError {
  constructor() {
    super('authorization', 'the tenant was erased, nothing is stored for it');
  }
}
