import { get, RefusedAnswer } from './api.ts';
import { who } from './session.ts';

/**
 * Finds out who asks. Anyone may ask `GET /`, which tells its instance to those alone who may read: so nothing is
 * refused on the way. Out: what is wrong with the token; '' : nothing.
 */
export async function findOutWho(): Promise<string> {
  try {
    const { instanceId } = await get<{ instanceId: string }>('/');
    if (instanceId === '') {
      who.value = 'nobody';
      return '';
    }
    const { name, groups } = await get<{ name: string; groups: readonly string[] }>('/who-am-i');
    who.value = { name, role: groups[0] ?? '' };
    return '';
  } catch (thrown) {
    who.value = 'nobody';
    return thrown instanceof RefusedAnswer ? thrown.message : 'the control plane does not answer';
  }
}
