import { impactOf } from './impact.js';
import { dataplane, exact, fromList, permission, prefix, resource } from '../../policy/harness.spec.js';
import { indexMesh } from '../../policy/match/mesh.js';
import { readPolicies } from '../../policy/match/policy.js';
const viewOf = (resources:any[])=>{const policies=readPolicies(resources);const index=indexMesh(resources);return {mesh:'default',dataplanes:index.ofType('Dataplane'),policies,permissions:policies.filter((p)=>p.resource.key.type==='MeshTrafficPermission'),index,find:()=>undefined,refusal:()=>undefined}};
const N=1000;
function run(title:string, pols:any[], more:any[], dps:any[]) {
  const t0=performance.now();
  const before=viewOf([...dps.map(d=>({...d})),...pols]), after=viewOf([...dps,...pols.map(p=>({...p,spec:structuredClone(p.spec)})),...more]);
  const t1=performance.now();
  const impact=impactOf(before as any,after as any);
  const t2=performance.now();
  const json=JSON.stringify(impact.changes.map(c=>[c.inbounds.map(i=>i.dataplane.key.name+i.section),c.callers]));
  console.log(title,(t1-t0).toFixed(0),(t2-t1).toFixed(0),'ms changes',impact.changes.length,'inbounds',impact.changes.reduce((n,c)=>n+c.inbounds.length,0),'sets',impact.sets.length,'bytes',json.length);
}
const dps=Array.from({length:N},(_,i)=>dataplane({name:`p-${i}`,labels:{app:`app-${i%100}`},tags:{'kuma.io/service':`svc-${i%100}`,version:`v${i%3}`,pod:`p${i}`}}));
const deny=[permission('zz-deny',{default:{deny:[prefix('spiffe://td/ns/legacy'),exact('spiffe://td/ns/a/sa/x')]}})];
run('few',[permission('all',{default:{allow:[prefix('spiffe://td')]}})],deny,dps);
for (const P of [100,1000]) {
 const perApp=Array.from({length:P},(_,i)=>permission(`app-${i}`,{targetRef:{kind:'Dataplane',labels:{app:`app-${i%100}`}},default:{allow:[prefix('spiffe://td'),exact(`spiffe://td/ns/b/sa/c${i}`)]}}));
 run('perApp'+P,perApp,deny,dps);
 const meshWide=Array.from({length:P},(_,i)=>permission(`m-${i}`,{default:{allow:[exact(`spiffe://td/ns/b/sa/c${i}`)]}}));
 run('meshWide'+P,[...meshWide],deny,dps);
 const perProxy=Array.from({length:P},(_,i)=>permission(`x-${i}`,{targetRef:{kind:'Dataplane',name:`p-${i}`},...fromList([{kind:'MeshService',name:`svc-${(i+1)%100}`},'ALLOW'],[{kind:'MeshSubset',tags:{version:'v1'}},'DENY'])},'east'));
 run('perProxyFrom'+P,perProxy,[permission('deny-all',{...fromList([{kind:'Mesh'},'DENY'])}),...deny],dps);
}
