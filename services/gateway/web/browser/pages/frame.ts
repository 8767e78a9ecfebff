/** What every page of the service needs. */
import { offerLanguages } from '../language-switch.ts';

offerLanguages();
