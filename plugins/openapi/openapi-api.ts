export { operationIdOf, operationIdsOf } from './operation-id.ts';
