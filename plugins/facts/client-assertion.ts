import { defineRef, noted } from '../../kernel/plugin-api.ts';

/**
 * Note on every draft that came through the routes of this plugin and passed their checks. Only such facts are compared
 * with earlier ones (a resolution that equals an old fact must still be stored), and only they and the node itself may
 * move an expiry.
 */
export const ClientAssertion = defineRef<true>('facts.client-assertion');

export const CLIENT_ASSERTION = noted(ClientAssertion, true);
