/** tsyringe refuses to load without the Reflect metadata functions, so this import must come before any of tsyringe. */
import 'reflect-metadata';
