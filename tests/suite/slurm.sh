# Starts Slurm on loopback, for one user, in the working folder; sends off `job.sh` and waits for it.
here=$PWD
host=$(hostname -s)
mkdir -p state spool run
head -c 1024 /dev/urandom > munge.key
chmod 400 munge.key
cat > slurm.conf <<END
ClusterName=loop
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$here/run/munge.sock
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/run/slurmctld.pid
SlurmdPidFile=$here/run/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/pgid
TaskPlugin=task/none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES State=UP
END
export SLURM_CONF=$here/slurm.conf
stop() {
    for part in slurmd slurmctld munged; do
        if [ -f "run/$part.pid" ]; then kill "$(cat "run/$part.pid")"; fi
    done
}
trap stop EXIT
munged --force --key-file="$here/munge.key" --socket="$here/run/munge.sock" --pid-file="$here/run/munged.pid" \
    --log-file="$here/munged.log" --seed-file="$here/seed"
slurmctld -i
slurmd
timeout 120 sbatch --wait job.sh
