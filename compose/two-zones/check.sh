# Sourced by run.sh: a producer policy applied on east arrives on global and west, and its reference resolves there.
ctl east apply -f - <"$folder/policies/east.yaml"
name=$(ctl east name slow -m default --zone east --namespace backend-ns)
service=$(ctl east name backend -m default --zone east --namespace backend-ns)
until_true ctl global get MeshTimeout "$name"
until_true ctl west get MeshTimeout "$name.mesh-system"
ctl west get MeshTimeout "$name.mesh-system" -o yaml | grep -q "name: $service"
ctl west get MeshTimeout "$name.mesh-system" -o yaml | grep -q "namespace: mesh-system"
ctl global ledger MeshTimeout "$name"
